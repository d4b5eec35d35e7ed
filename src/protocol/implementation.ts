/** What we say of ourselves in `serverInfo`; the same as in package.json. */
export const ROLLCALL_VERSION = '0.1.0'
