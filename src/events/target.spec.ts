import { hostOf, isPublic, targetOf } from './target.js';

describe('where events may be sent', () => {
  it.each([
    ['https://shop.example/hooks?a=b', 'public'],
    ['https://shop.example:443/hooks', 'public'],
    ['https://shop.example:8443/hooks', 'public'],
    ['https://shop.example:1024/hooks', 'public'],
    ['http://127.0.0.1:3000/hooks', 'any'],
    ['https://localhost/hooks', 'any'],
  ] as const)('%s by the policy %s', (text, policy) => {
    expect(targetOf(text, policy)).toEqual(new URL(text));
  });

  it.each([
    ['shop.example/hooks', 'url_malformed'],
    ['file:///etc/passwd', 'url_malformed'],
    ['gopher://shop.example/', 'url_malformed'],
    [`https://shop.example/${'a'.repeat(2_048)}`, 'url_malformed'],
    ['https://user@shop.example/', 'url_with_credentials'],
    ['https://:secret@shop.example/', 'url_with_credentials'],
    ['http://shop.example/', 'scheme_refused'],
    ['https://shop.example:25/', 'port_refused'],
    ['https://shop.example:22/', 'port_refused'],
    ['https://shop.example:1023/', 'port_refused'],
  ] as const)('%s not: %s', (text, fault) => {
    expect(targetOf(text, 'public')).toBe(fault);
  });

  it.each([
    ['http://user:secret@127.0.0.1/', 'url_with_credentials'],
    ['ftp://127.0.0.1/', 'url_malformed'],
  ])('%s not even in development', (text, fault) => {
    expect(targetOf(text, 'any')).toBe(fault);
  });

  it('reads addresses as a socket would, however they are written', () => {
    for (const host of ['0x7f.1', '2130706433', '0177.0.0.1', '127.1', '127。0。0。1']) {
      expect([host, hostOf(new URL(`https://${host}/`))]).toEqual([host, '127.0.0.1']);
    }
    expect(hostOf(new URL('https://[::ffff:127.0.0.1]/'))).toBe('::ffff:7f00:1');
  });
});

describe('an address of the public internet', () => {
  it.each([
    '93.184.215.14',
    '1.1.1.1',
    '8.8.8.8',
    '172.32.0.1',
    '2606:4700:4700::1111',
    '2a00:1450:4001::8a',
  ])('%s is one', (address) => {
    expect(isPublic(address)).toBe(true);
  });

  it.each([
    ['loopback', '127.0.0.1'],
    ['loopback', '127.255.255.254'],
    ['loopback', '::1'],
    ['private', '10.0.0.1'],
    ['private', '172.16.0.1'],
    ['private', '172.31.255.255'],
    ['private', '192.168.1.1'],
    ['private', 'fd12:3456::1'],
    ['link-local, cloud metadata', '169.254.169.254'],
    ['link-local', 'fe80::1'],
    ['cloud metadata', 'fd00:ec2::254'],
    ['cloud metadata', '100.100.100.200'],
    ['cloud metadata', '192.0.0.192'],
    ['cloud metadata', '168.63.129.16'],
    ['carrier-grade NAT', '100.64.0.1'],
    ['multicast', '224.0.0.1'],
    ['multicast', 'ff02::1'],
    ['unspecified', '0.0.0.0'],
    ['unspecified', '::'],
    ['this network', '0.1.2.3'],
    ['broadcast', '255.255.255.255'],
    ['reserved', '240.0.0.1'],
    ['documentation', '192.0.2.1'],
    ['documentation', '198.51.100.1'],
    ['documentation', '203.0.113.1'],
    ['documentation', '2001:db8::1'],
    ['documentation', '3fff::1'],
    ['benchmarking', '198.18.0.1'],
    ['site-local', 'fec0::1'],
    ['IPv4-mapped', '::ffff:127.0.0.1'],
    ['IPv4-mapped', '::ffff:8.8.8.8'],
    ['IPv4-compatible', '::127.0.0.1'],
    ['NAT64', '64:ff9b::7f00:1'],
    ['NAT64', '64:ff9b:1::a00:1'],
    ['6to4', '2002:7f00:1::1'],
    ['Teredo', '2001:0:7f00:1::1'],
    ['not an address', 'localhost'],
    ['not an address', ''],
  ])('%s is none: %s', (_, address) => {
    expect(isPublic(address)).toBe(false);
  });
});
