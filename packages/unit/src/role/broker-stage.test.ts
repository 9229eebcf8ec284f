import { describe, expect, it } from 'vitest';
import { brokerAddress } from './broker-stage.ts';

const leader = new URL('https://10.0.0.5:4999');

describe('the address of the broker', () => {
  it.each([
    [{ broker_address: 'lead.local' }, 'mqtt://lead.local:1883'],
    [{ broker_address: ' lead.local; other.local', broker_port: '2000' }, 'mqtt://lead.local:2000'],
    [{ broker_address: 'lead.local', broker_port: '8883', use_tls: 'yes' }, 'mqtts://lead.local:8883'],
    [{ broker_address: 'fe80::1' }, 'mqtt://[fe80::1]:1883'],
    [{ broker_address: '' }, undefined],
  ])('is read from the configuration: %j', (mqtt, url) => {
    expect(brokerAddress({ mqtt }, leader)).toEqual(url && { url, isLeader: false });
  });

  it('is unknown before the unit has a configuration', () => {
    expect(brokerAddress({}, leader)).toBeUndefined();
  });

  it('is that of the leader when the leader is the broker, whatever name the leader has for itself', () => {
    const mqtt = { broker_address: 'lab-pc', broker_port: '8883', use_tls: '1', broker_is_leader: '1' };
    expect(brokerAddress({ mqtt }, leader)).toEqual({ url: 'mqtts://10.0.0.5:8883', isLeader: true });
    const withoutTls = { ...mqtt, use_tls: '0' };
    expect(brokerAddress({ mqtt: withoutTls }, leader)).toEqual({ url: 'mqtt://lab-pc:8883', isLeader: false });
  });
});
