/**
 * Hosts that no request may go to, since they are of the network we run in and not of the world: a
 * list of names, and addresses by their range (IANA's special-purpose registries). A host comes as
 * `URL` gives it, which has made one notation of decimal, octal, hex, short and full-width forms.
 * What a name resolves to is not seen here: a Worker cannot ask.
 */

/** Names that stand for this machine or this network, and those below them. */
const NAMES = new Set(
  `localhost localdomain local internal default intranet lan home corp private arpa svc onion test invalid
   metadata.goog localtest.me localho.st lvh.me vcap.me lacolhost.com nip.io sslip.io xip.io rbndr.us`.split(
    /\s+/,
  ),
)

/** `address/bits`; 168.63.129.16 is the host agent of Azure. */
const IPV4_RANGES = `0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12
  192.0.0.0/24 192.0.2.0/24 192.88.99.0/24 192.168.0.0/16 198.18.0.0/15 198.51.100.0/24
  203.0.113.0/24 224.0.0.0/3 168.63.129.16/32`
  .split(/\s+/)
  .map((range) => {
    const [address = '', bits] = range.split('/')
    const size = 2 ** (32 - Number(bits))
    const first = numberOf(address)
    return { first, last: first + size - 1 }
  })

/** Whether a URL's `hostname` is a private, reserved or local one. */
export function isPrivateHost(hostname: string): boolean {
  const host = hostname.toLowerCase().replace(/\.+$/, '')
  if (host.startsWith('[')) return !isGlobalIpv6(host.slice(1, -1))
  if (/^\d+\.\d+\.\d+\.\d+$/.test(host)) return isPrivateIpv4(host)
  const labels = host.split('.')
  // Without a dot it is of a search domain; with a number at its end it is nobody's name.
  if (labels.length < 2 || /^\d+$/.test(labels.at(-1) ?? '')) return true
  return labels.some((_, index) => NAMES.has(labels.slice(index).join('.')))
}

function isPrivateIpv4(address: string): boolean {
  const number = numberOf(address)
  return IPV4_RANGES.some(({ first, last }) => number >= first && number <= last)
}

/**
 * Of IPv6 only global unicast (2000::/3) is let through, without what in it carries an IPv4 address
 * (6to4, Teredo) or is reserved. So mapped, NAT64, unique-local and the others need no list.
 */
function isGlobalIpv6(address: string): boolean {
  const [first = 0, second = 0] = address
    .split('::', 1)
    .join()
    .split(':')
    .map((group) => parseInt(group || '0', 16))
  if (first < 0x2000 || first > 0x3fff) return false
  if (first === 0x2001) return second > 0x1ff && second !== 0xdb8
  return first !== 0x2002 && !(first === 0x3fff && second < 0x1000)
}

function numberOf(address: string): number {
  return address.split('.').reduce((number, part) => number * 256 + Number(part), 0)
}
