import { parseIni } from '@lcs/contract/ini';
import { describe, expect, it } from 'vitest';
import { effectiveConfig, withoutSecrets } from './effective-config.ts';

const inForce = (shared: string, own: string) =>
  JSON.parse(JSON.stringify(withoutSecrets(effectiveConfig(parseIni(shared).document, parseIni(own).document))));

const shared = `[cluster.topology]
leader_hostname=lead
leader_address=lead.local
[mqtt]
username=browser
password=secret
[PWM]
1=stirring
2=
[leds]
A=IR
B
[od_config.photodiode_channel]
1=REF
2=90
3=
`;

describe('the effective configuration', () => {
  it('is the shared file, overridden key by key, with what programs derive from it and no password', () => {
    expect(inForce(shared, '[PWM]\n2=media\n[stirring.config]\ninitial_target_rpm=450\n')).toEqual({
      'cluster.topology': { leader_hostname: 'lead', leader_address: 'lead.local' },
      'cluster.addresses': { lead: 'lead.local' },
      mqtt: { username: 'browser', password: '' },
      PWM: { '1': 'stirring', '2': 'media' },
      PWM_reverse: { stirring: '1', media: '2' },
      leds: { A: 'IR', B: '' },
      leds_reverse: { IR: 'A' },
      'od_config.photodiode_channel': { '1': 'REF', '2': '90' },
      'stirring.config': { initial_target_rpm: '450' },
    });
  });

  it("has the addresses of all units, with the leader's actual one, and accepts any name", () => {
    const view = inForce(`${shared}[cluster.addresses]\nrx01=10.0.0.7\n[__proto__]\na=1\n`, '[leds]\nA=__proto__\n');
    expect(view['cluster.addresses']).toEqual({ rx01: '10.0.0.7', lead: 'lead.local' });
    expect(Object.keys(view)).toContain('__proto__');
    expect(Object.keys(view.leds_reverse)).toEqual(['__proto__']);
  });
});
