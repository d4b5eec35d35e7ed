/** What holds of sessions and of what they are told, where RESIDENCY is strict. */
import '../support/strict.ts'
import '../http/session-basics.test.ts'
import '../http/session-notices.test.ts'
