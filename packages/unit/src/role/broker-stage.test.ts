import { describe, expect, it } from 'vitest';
import { brokerUrl } from './broker-stage.ts';

describe('the address of the broker', () => {
  it.each([
    [{ broker_address: 'lead.local' }, 'mqtt://lead.local:1883'],
    [{ broker_address: ' lead.local; other.local', broker_port: '2000' }, 'mqtt://lead.local:2000'],
    [{ broker_address: 'lead.local', broker_port: '8883', use_tls: 'yes' }, 'mqtts://lead.local:8883'],
    [{ broker_address: 'fe80::1' }, 'mqtt://[fe80::1]:1883'],
    [{ broker_address: '' }, undefined],
  ])('is read from the configuration: %j', (mqtt, url) => {
    expect(brokerUrl({ mqtt })).toBe(url);
  });

  it('is unknown before the unit has a configuration', () => {
    expect(brokerUrl({})).toBeUndefined();
  });
});
