/** What holds of organizations, their keys and their calls, where RESIDENCY is strict. */
import '../support/strict.ts'
import '../http/admin-organizations.test.ts'
import '../http/organization-names.test.ts'
import '../http/hosted-call.test.ts'
