import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { isPrivateHost } from '../../src/upstream/private-address.ts'

/** Hosts as they may be written; `URL` reads them first, as it does for a request. */
const refused =
  `127.0.0.1 127.1 127.0.0.1. 127.0.0.1.. 2130706433 017700000001 0x7f000001 0x7F.1 0177.0.0.1 １２７.0.0.1
  127。0。0。1 %31%32%37.0.0.1 0.0.0.0 0 10.0.0.1 10.255.255.255 100.64.0.1 100.127.255.255
  100.100.100.200 169.254.169.254 169.254.0.0 172.16.0.1 172.31.255.255 192.0.0.192 192.0.2.1
  192.88.99.1 192.168.0.1 192.168.255.255 198.18.0.1 198.19.255.255 198.51.100.7 203.0.113.9
  224.0.0.1 239.255.255.255 240.0.0.1 255.255.255.255 168.63.129.16
  [::] [::1] [0:0:0:0:0:0:0:1] [::ffff:127.0.0.1] [::ffff:8.8.8.8] [::FFFF:7f00:1] [::7f00:1]
  [64:ff9b::8.8.8.8] [64:ff9b::7f00:1] [64:ff9b:1::1] [64:ff9b:1:ffff::1] [100::1] [fc00::1]
  [fd00:ec2::254] [fdff::1] [fe80::1] [febf::1] [fec0::1] [ff02::1] [2002:7f00:1::] [2002::1]
  [2001::1] [2001:0:7f00:1::] [2001:db8::1] [2001:DB8::1] [3fff::1] [3fff:fff::1] [5f00::1] [4000::1]
  localhost LOCALHOST localhost. a.localhost ｌｏｃａｌｈｏｓｔ %6cocalhost metadata intranet-box printer.local
  metadata.google.internal metadata.google.internal. a.internal instance-data kubernetes
  kubernetes.default kubernetes.default.svc kubernetes.default.svc.cluster.local router.home.arpa
  router.lan box.home box.corp box.intranet localhost.localdomain 1.0.0.127.in-addr.arpa a.onion
  a.invalid a.test localtest.me a.localtest.me 127.0.0.1.nip.io 10-0-0-1.sslip.io lvh.me metadata.goog
  localho.st 7f000001.0a000001.rbndr.us`.split(/\s+/)

const allowed = `8.8.8.8 1.1.1.1 9.255.255.255 11.0.0.0 100.63.255.255 100.128.0.0 126.255.255.255
  128.0.0.0 169.253.255.255 169.255.0.0 172.15.255.255 172.32.0.0 192.0.1.0 192.0.3.0 192.167.255.255
  192.169.0.0 198.17.255.255 198.20.0.0 223.255.255.255 168.63.129.17 134744072
  [2001:200::1] [2001:4860:4860::8888] [2606:4700::1111] [2a00::1] [2003::1] [3ffe::1] [3fff:1000::1]
  example.com api.example.com. localhost.example.com internal.example.com local.de xn--bcher-kva.example
  127.0.0.1.example.com a.b.c.d metadata.google.internal.example.com`.split(/\s+/)

const hostOf = (written: string) => new URL(`http://${written}/`).hostname

describe('isPrivateHost', () => {
  for (const written of refused) {
    it(`refuses ${written}`, () => assert.equal(isPrivateHost(hostOf(written)), true))
  }
  for (const written of allowed) {
    it(`lets ${written} through`, () => assert.equal(isPrivateHost(hostOf(written)), false))
  }
})
