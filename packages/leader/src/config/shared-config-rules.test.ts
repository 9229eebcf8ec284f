import { normaliseConfigText } from '@lcs/node';
import { describe, expect, it } from 'vitest';
import { acceptedSharedConfig, sharedConfigFaults, validateSharedConfig } from './shared-config-rules.ts';

const good = `[cluster.topology]
leader_hostname=lead
leader_address=lead.local

[mqtt]
broker_address=lead.local
`;

const faults = (text: string) => sharedConfigFaults(text, 'lead');

describe('the rules of the shared configuration', () => {
  it('accept a text with the addresses of leader and broker', () => {
    expect(faults(good)).toEqual([]);
  });

  it('replace dashes of word processors, and drop a byte order mark', () => {
    expect(normaliseConfigText('\ufeff[od_reading.config]\nsamples\u2013per\u2014second=0.2')).toBe(
      '[od_reading.config]\nsamples-per-second=0.2',
    );
  });

  it('name a key that occurs twice, and where', () => {
    expect(faults(`${good}\n[stirring.config]\npwm_hz=200\n; once more\npwm_hz=300\n`)).toMatchObject([
      { line: 11, column: 1, message: "Key 'pwm_hz' occurs twice in section [stirring.config]." },
    ]);
  });

  it('name a section that occurs twice', () => {
    expect(faults(`${good}[mqtt]\n`)).toMatchObject([{ line: 7, column: 1, message: 'Section [mqtt] occurs twice.' }]);
  });

  it.each([
    ['text before the first section', `a=1\n${good}`, 1, 1],
    ['a section that is not closed', `${good}\n[ui\n`, 8, 1],
    ['a value without a key', `${good}=5\n`, 7, 1],
  ])('report line and column of %s', (_, text, line, column) => {
    expect(faults(text)).toMatchObject([{ line, column }]);
  });

  it.each([
    ['', 'Section [cluster.topology] is missing.'],
    [good.replace('[mqtt]\nbroker_address=lead.local\n', ''), 'Section [mqtt] is missing.'],
    [
      good.replace('leader_hostname=lead\n', ''),
      "Key 'leader_hostname' in section [cluster.topology] is missing or empty.",
    ],
    [
      good.replace('leader_address=lead.local', 'leader_address= '),
      "Key 'leader_address' in section [cluster.topology] is missing or empty.",
    ],
    [
      good.replace('leader_address=lead.local', 'leader_address=http://lead.local'),
      "Key 'leader_address' in section [cluster.topology] must not begin with http.",
    ],
    [
      good.replace('broker_address=lead.local', 'broker_address=10.0.0.2;https://lead.local'),
      "Key 'broker_address' in section [mqtt] must not begin with http.",
    ],
    [
      good.replace('leader_hostname=lead\n', 'leader_hostname=other\n'),
      "Key 'leader_hostname' names other, but this leader is lead.",
    ],
  ])('refuse %j', (text, message) => {
    expect(faults(text).map((fault) => fault.message)).toContain(message);
  });

  it('point at the key in question', () => {
    expect(faults(good.replace('=lead.local', '=HTTP://lead'))).toMatchObject([{ line: 3, column: 1 }]);
    expect(faults(good.replace('leader_address=lead.local\n', ''))).toMatchObject([{ line: 1, column: 1 }]);
  });

  it('refuse more than 131,072 characters, and half characters', () => {
    const filled = (length: number) => `${good};${'ä'.repeat(length - good.length - 1)}`;
    expect(faults(filled(131_072))).toEqual([]);
    expect(faults(filled(131_073))).toMatchObject([{ code: 'too_large' }]);
    expect(faults(`${good};\ud800`)).toHaveLength(1);
  });

  it('have nothing against per cent signs', () => {
    const text = `${good}\n[x]\na=50%\nb=%(c)s\nc=100%%\n`;
    expect(faults(text)).toEqual([]);
    expect(acceptedSharedConfig(text, 'lead').x).toEqual({ a: '50%', b: '%(c)s', c: '100%' });
  });

  it('accept what comes from [DEFAULT], and show it in each section', () => {
    const text = `[DEFAULT]\nleader_hostname=lead\nleader_address=10.0.0.1\n[cluster.topology]\n[mqtt]\nkey\n`;
    expect(acceptedSharedConfig(text, 'lead')).toMatchObject({
      mqtt: { leader_hostname: 'lead', key: '' },
      'cluster.addresses': { lead: '10.0.0.1' },
    });
  });

  it('have no address of a unit without a configured one, whatever its name', () => {
    const view = acceptedSharedConfig(`${good}[__proto__]\na=1\n`, 'lead');
    for (const unit of ['constructor', 'toString', '__proto__']) {
      expect(view['cluster.addresses']?.[unit]).toBeUndefined();
    }
    expect('constructor' in view).toBe(false);
    expect(Object.keys(view)).toContain('__proto__');
  });

  it('are applied at once to a text with very many unknown keys', () => {
    const keys = Array.from({ length: 4_000 }, (_, index) => `unknown_${index}=1`).join('\n');
    const beganMs = performance.now();
    const warnings = validateSharedConfig(`${good}${keys}\n[ui]\n  port = 80\n`, 'lead');
    // The first ones are enough for people.
    expect(warnings).toHaveLength(200);
    expect(warnings[1]).toMatchObject({ line: 8, column: 11, section: 'mqtt', key: 'unknown_1' });
    // Each warning looked for its place from the first line on: a minute.
    expect(performance.now() - beganMs).toBeLessThan(3_000);
  });

  it('put all faults into the error, the first one first', () => {
    const body = {
      status: 400,
      code: 'config_invalid',
      error: 'Section [mqtt] occurs twice.',
      cause: 'Line 2, column 1 (and 1 more).',
      diagnostics: [
        {
          line: 2,
          column: 1,
          severity: 'error',
          code: 'duplicate_section',
          section: 'mqtt',
          message: 'Section [mqtt] occurs twice.',
        },
        {
          line: 4,
          column: 1,
          severity: 'error',
          code: 'duplicate_key',
          section: 'mqtt',
          key: 'a',
          message: "Key 'a' occurs twice in section [mqtt].",
        },
      ],
    };
    expect(() => acceptedSharedConfig('[mqtt]\n[mqtt]\na=1\na=2\n', 'lead')).toThrow(
      expect.objectContaining({ body: expect.objectContaining(body) }),
    );
  });
});
