import { describe, expect, it } from 'vitest';
import { announcementText, leadersIn, leaderUrl } from './mdns.ts';

/** Made by hand, after avahi-browse(1): it lists each interface and protocol, first found (`+`), then resolved (`=`). */
const output = String.raw`+;eth0;IPv6;Leader\032Control\032Service\032on\032lab-pc;_lcs._tcp;local
+;eth0;IPv4;Leader\032Control\032Service\032on\032lab-pc;_lcs._tcp;local
=;eth0;IPv6;Leader\032Control\032Service\032on\032lab-pc;_lcs._tcp;local;lab-pc.local;fe80::1;4999;"fingerprint=7a86;a8 52" "version=26.12.0"
=;eth0;IPv4;Leader\032Control\032Service\032on\032lab-pc;_lcs._tcp;local;lab-pc.local;192.168.1.5;4999;"version=26.12.0" "fingerprint=7a86;a8 52"
=;wlan0;IPv4;B\195\188ro\059\032\0401\041;_lcs._tcp;local;another.local;192.168.1.9;5999;
=;wlan0;IPv4;printer;_ipp._tcp;local;printer.local;192.168.1.10;631;
=;wlan0;IPv4;broken
`;

describe('leaders in the network', () => {
  it('are one each, with all addresses and records', () => {
    expect(leadersIn(output)).toEqual([
      { host: 'another.local', port: 5999, addresses: ['192.168.1.9'] },
      {
        host: 'lab-pc.local',
        port: 4999,
        addresses: ['fe80::1', '192.168.1.5'],
        version: '26.12.0',
        fingerprint: '7a86;a8 52',
      },
    ]);
    expect(leadersIn(output).map(leaderUrl)).toEqual(['https://another.local:5999', 'https://lab-pc.local:4999']);
  });

  it.each([
    String.raw`x\034\010NODE_OPTIONS=--import=/tmp/x.js\010Z=\034.local;192.0.2.1;4999`,
    String.raw`a\032b.local;192.0.2.1;4999`,
    'a$b.local;192.0.2.1;4999',
    ';192.0.2.1;4999',
    'lab.local;192.0.2.1;65536',
  ])('are not taken from %j, which is not a host and a port', (fields) => {
    expect(leadersIn(`=;eth0;IPv4;x;_lcs._tcp;local;${fields};"version=1"`)).toEqual([]);
  });

  it('are none where nobody announces one', () => {
    expect(leadersIn('')).toEqual([]);
    expect(leadersIn('Failed to create client object: Daemon not running\n')).toEqual([]);
  });

  it('have records with quotes and bytes', () => {
    const line = String.raw`=;lo;IPv4;x;_lcs._tcp;local;a.local;::1;1;"version=\"1\"" "fingerprint=\195\188" "flag"`;
    expect(leadersIn(line)).toMatchObject([{ version: '"1"', fingerprint: 'ü' }]);
  });
});

it('announces a leader by a file of avahi', () => {
  const text = announcementText({ port: 4999, version: '26.12.0', fingerprint: '7a86 <&> a852' });
  expect(text).toContain('<port>4999</port>');
  expect(text).toContain('<txt-record>version=26.12.0</txt-record>');
  expect(text).toContain('<txt-record>fingerprint=7a86 &lt;&amp;&gt; a852</txt-record>');
  expect(announcementText({ port: 4999, version: '1', fingerprint: undefined })).not.toContain('fingerprint');
});
