import { addressSource, deviceSource } from './sign-in-source.js';

describe('the source of a try to sign in', () => {
  it.each([
    ['203.0.113.7', 'address:203.0.113.7'],
    ['::ffff:203.0.113.7', 'address:203.0.113.7'],
    ['2001:db8:1:2:3:4:5:6', 'address:2001:db8:1:2::/64'],
    ['2001:DB8:1:2::1', 'address:2001:db8:1:2::/64'],
    ['2001:0db8:0001:0002:ffff::', 'address:2001:db8:1:2::/64'],
    ['2001:db8::1', 'address:2001:db8:0:0::/64'],
    ['::1', 'address:0:0:0:0::/64'],
    ['unknown', 'address:none'],
    ['', 'address:none'],
    ['fe80::1%eth0', 'address:fe80:0:0:0::/64'],
  ])('of %s is %s', (address, key) => {
    expect(addressSource(address)).toBe(key);
  });

  it('of a device shows nothing of what it holds', () => {
    expect(deviceSource('c2VjcmV0')).toMatch(/^device:[\w-]{43}$/);
  });
});
