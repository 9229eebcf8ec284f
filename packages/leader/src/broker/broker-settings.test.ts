import { StartupError } from '@lcs/platform';
import { describe, expect, it } from 'vitest';
import { defaultBrokerLimits as limits } from './broker-limits.ts';
import { type BrokerFlags, brokerSettings } from './broker-settings.ts';

const flags: BrokerFlags = { host: '127.0.0.1' };

describe('which broker a leader uses', () => {
  it.each([
    ['', flags, { mode: 'embedded', host: '127.0.0.1', port: 1883, tlsPort: 8883, limits }],
    ['[broker]\nport=1884\nhost=::1', flags, { mode: 'embedded', host: '::1', port: 1884, tlsPort: 8883, limits }],
    [
      '[broker]\nport=1884',
      { ...flags, port: 0 },
      { mode: 'embedded', host: '127.0.0.1', port: 0, tlsPort: 8883, limits },
    ],
    [
      '[broker]\npayload_kb=512\nretained_mb=8\nconnections=20',
      { ...flags, port: 0 },
      {
        mode: 'embedded',
        host: '127.0.0.1',
        port: 0,
        tlsPort: 8883,
        limits: { ...limits, payloadBytes: 512 * 1024, retainedBytes: 8 * 1024 * 1024, connections: 20 },
      },
    ],
    ['[broker]\nmode=off', flags, { mode: 'off' }],
    [
      '[broker]\nmode=external\nurl=mqtts://lab:8883\nusername=lead\npassword=secret',
      flags,
      { mode: 'external', url: 'mqtts://lab:8883', username: 'lead', password: 'secret' },
    ],
    ['[broker]\nmode=off', { ...flags, url: 'mqtt://lab' }, { mode: 'external', url: 'mqtt://lab' }],
  ] as const)('%j and flags %j', (text, given, expected) => {
    expect(brokerSettings(text, given)).toEqual(expected);
  });

  it.each([
    ['[broker]\nmode=mosquitto', flags, /'mode'.*\[broker\]/],
    ['[broker]\nhost=0.0.0.0', flags, /0\.0\.0\.0/],
    ['[broker]\nport=many', flags, /'port'.*\[broker\]/],
    ['[broker]\nport=65536', flags, /'port'.*\[broker\]/],
    ['[broker]\nconnections=0', flags, /'connections'.*\[broker\]/],
    ['[broker]\npayload_kb=1.5', flags, /'payload_kb'.*\[broker\]/],
    ['[broker]\nmode=external', flags, /\[broker\] url/],
    ['', { ...flags, url: 'http://lab' }, /--broker-url/],
    ['', { ...flags, url: 'ws://lab:9001' }, /ws:\/\/lab:9001/],
    ['[broker]\nmode=off\nmode=embedded', flags, /line 3/],
  ] as const)('refuses %j and flags %j', (text, given, named) => {
    const read = () => brokerSettings(text, given);
    expect(read).toThrow(StartupError);
    expect(read).toThrow(named);
  });
});
