import { readFileSync } from 'node:fs';
import { chartDescriptors } from '@lcs/domain';
import { describe, expect, it } from 'vitest';
import { defaultSharedConfig, isAsShipped } from './default-shared-config.ts';
import { acceptedSharedConfig, sharedConfigFaults } from './shared-config-rules.ts';

const text = defaultSharedConfig({ leader: 'lead', leaderAddress: '10.0.0.1', httpPort: 4999, brokerPort: 1883 });
const view = acceptedSharedConfig(text, 'lead');

/** A reader as simple as that of a well-known page: it knows sections, `key=value` and `;` and nothing else. */
function simpleView(ini: string): Record<string, Record<string, string>> {
  const sections: Record<string, Record<string, string>> = {};
  let current: Record<string, string> = {};
  for (const line of ini.split('\n')) {
    const [, section] = /^\[(.+)\]$/.exec(line) ?? [];
    const [, key, value] = /^([^=]*)=(.*)$/.exec(line) ?? [];
    if (line.startsWith(';')) continue;
    if (section !== undefined) {
      current = {};
      sections[section] = current;
    } else if (key !== undefined && value !== undefined) current[key] = value;
    else if (line !== '') throw new Error(`A simple reader does not understand: ${line}`);
  }
  return sections;
}

describe('the shared configuration of a new leader', () => {
  it('satisfies its own rules', () => {
    expect(sharedConfigFaults(text, 'lead')).toEqual([]);
  });

  it('has the same values for simple parsers', () => {
    const simple = simpleView(text);
    expect({ ...simple, 'cluster.addresses': { lead: '10.0.0.1' } }).toEqual(JSON.parse(JSON.stringify(view)));
  });

  it('contains the addresses of leader and broker, and no password', () => {
    expect(view['cluster.topology']).toEqual({ leader_hostname: 'lead', leader_address: '10.0.0.1' });
    expect(view.mqtt).toEqual({
      broker_address: '10.0.0.1',
      broker_port: '1883',
      broker_ws_port: '4999',
      ws_protocol: 'ws',
      use_tls: '0',
    });
    expect(view.ui).toEqual({ port: '4999', proto: 'http' });
    expect(text).not.toMatch(/^(password|passphrase|api_key|username)=/m);
  });

  it('decides about every chart there is, and about no other', () => {
    const keys = chartDescriptors({ filteredOdLookbackHours: 1, rawOdLookbackHours: 1 }).map(
      ({ chart_key }) => chart_key,
    );
    const charts = view['ui.overview.charts'] ?? {};
    expect(Object.keys(charts)).toEqual(keys);
    expect(Object.values(charts).every((value) => value === '0' || value === '1')).toBe(true);
  });

  it('is recognised while it is unchanged', () => {
    expect(isAsShipped(text)).toBe(true);
    expect(isAsShipped(`${text};\n`)).toBe(false);
    expect(isAsShipped(text.replace('port=4999', 'port=80'))).toBe(false);
    expect(isAsShipped('')).toBe(false);
  });

  it('has the values of the file of version 26.11 but for those that changed, and recognises it while it is unchanged', () => {
    const earlier = readFileSync(new URL('testing/shipped-26.11.ini', import.meta.url), 'utf8');
    const now = defaultSharedConfig({
      leader: 'leader',
      leaderAddress: 'leader.local',
      httpPort: 4999,
      brokerPort: 1883,
    });
    const expected = simpleView(earlier);
    const changed: Record<string, Record<string, string>> = {
      bioreactor: { evaporation_ml_per_hour: '0.02' },
      'od_reading.config': { smoothing_penalizer: '0' },
      'dosing_automation.config': { on_missing_effect: 'pause', on_unverified_waste: 'warn' },
      'dosing_automation.pid_morbidostat': { Kp: '0.5', Ki: '0' },
      'temperature_automation.thermostat': { Kp: '12', Kd: '0' },
    };
    for (const [section, values] of Object.entries(changed)) Object.assign(expected[section] ?? {}, values);
    expect(simpleView(now)).toEqual(expected);
    const elsewhere = earlier.replaceAll('leader.local', '10.0.0.9').replaceAll('=4999', '=5000');
    expect([earlier, elsewhere].map(isAsShipped)).toEqual([true, true]);
    expect(isAsShipped(earlier.replace('initial_target_rpm=500', 'initial_target_rpm=501'))).toBe(false);
  });
});
