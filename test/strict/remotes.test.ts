/** What holds of remote servers and of convai, where RESIDENCY is strict. */
import '../support/strict.ts'
import '../http/remote-refresh.test.ts'
import '../http/remote-calls.test.ts'
import '../http/convai-approvals.test.ts'
