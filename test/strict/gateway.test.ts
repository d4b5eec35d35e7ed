/** What holds of the gateway, where RESIDENCY is strict. */
import '../support/strict.ts'
import '../http/gateway-http.test.ts'
import '../http/gateway-manage-organizations.test.ts'
