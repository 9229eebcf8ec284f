import { describe, expect, it } from 'vitest';
import { addressIn, ipv4Of, unitAddress } from './unit-address.ts';

const addressWith = (configured: string | undefined) =>
  unitAddress({
    configured: () => configured,
    enrolled: () => 'http://enrolled:4999',
    defaultPort: () => 80,
  })('rx01');

describe('unitAddress', () => {
  it.each([
    ['192.168.4.21', 'https://192.168.4.21:80'],
    ['192.168.4.21:5000', 'https://192.168.4.21:5000'],
    [' rx01.local ', 'https://rx01.local:80'],
    ['[fd00::1]', 'https://[fd00::1]:80'],
    ['[fd00::1]:5000', 'https://[fd00::1]:5000'],
    ['127.0.0.1', 'http://127.0.0.1:80'],
    ['127.0.0.2:5000', 'http://127.0.0.2:5000'],
    ['localhost', 'http://localhost:80'],
    ['[::1]:5000', 'http://[::1]:5000'],
    ['', 'http://enrolled:4999'],
    [undefined, 'http://enrolled:4999'],
  ])('finds the base URL with %j in [cluster.addresses]', (configured, expected) => {
    expect(addressWith(configured)).toBe(expected);
  });

  it('knows no address of a unit that neither enrolled nor is configured', () => {
    const unknown = unitAddress({ configured: () => undefined, enrolled: () => undefined, defaultPort: () => 80 });
    expect(unknown('rx01')).toBeUndefined();
  });
});

describe('ipv4Of', () => {
  it.each([
    ['192.168.4.21', '192.168.4.21'],
    ['192.168.4.21:5000', '192.168.4.21'],
    ['rx01.local', null],
    ['[fd00::1]:80', null],
    ['300.1.1.1', null],
    [undefined, null],
  ])('%j is %j', (address, expected) => {
    expect(ipv4Of(address)).toBe(expected);
  });
});

describe('the address that the configuration gives a unit', () => {
  it('uses only own keys of the section, whatever the unit is called', () => {
    expect(addressIn({ rx01: '192.168.4.21' }, 'rx01')).toBe('192.168.4.21');
    expect(addressIn({}, 'constructor')).toBeUndefined();
    expect(addressIn({}, 'toString')).toBeUndefined();
  });
});
