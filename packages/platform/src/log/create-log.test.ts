import { spawnSync } from 'node:child_process';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createLog, type LogOptions } from './create-log.ts';
import { silentLog } from './log.ts';
import { memoryLog } from './memory-log.ts';
import { prettyDestination } from './pretty-destination.ts';

const clock = { now: () => Date.UTC(2026, 4, 2, 10, 0, 0, 123) };

function logToText(options: LogOptions = {}) {
  const written: string[] = [];
  const log = createLog({ level: 'debug', clock, destination: { write: (line) => written.push(line) }, ...options });
  return { log, written, records: () => written.map((line) => JSON.parse(line)) };
}

describe('the log', () => {
  it('writes one JSON object per line with level, time and message', () => {
    const { log, written } = logToText();
    log.info('The node is up.', { port: 4999 });
    log.warn('Two\nlines');
    expect(written).toEqual([
      '{"level":"info","time":"2026-05-02T10:00:00.123Z","port":4999,"message":"The node is up."}\n',
      '{"level":"warn","time":"2026-05-02T10:00:00.123Z","message":"Two\\nlines"}\n',
    ]);
  });

  it('drops what is below its level, in its children too', () => {
    const { log, records } = logToText({ level: 'warn' });
    log.debug('no');
    log.info('no');
    log.child({ unit: 'rx01' }).info('no');
    log.error('yes');
    expect(records()).toMatchObject([{ message: 'yes' }]);
  });

  it('gives the fields of a child to all its lines', () => {
    const { log, records } = logToText();
    log.child({ unit: 'rx01' }).child({ job: 'stirring' }).info('started', { rpm: 500 });
    expect(records()).toMatchObject([{ unit: 'rx01', job: 'stirring', rpm: 500, message: 'started' }]);
  });

  it('spells out errors with their causes and parts', () => {
    const { log, records } = logToText();
    const cause = Object.assign(new Error('no route'), { code: 'EHOSTUNREACH' });
    log.error('failed', { error: new AggregateError([new TypeError('x')], 'stopped badly', { cause }) });
    const [{ error }] = records();
    expect(error).toMatchObject({
      type: 'AggregateError',
      message: 'stopped badly',
      cause: { message: 'no route', code: 'EHOSTUNREACH' },
      errors: [{ type: 'TypeError', message: 'x' }],
    });
    expect(error.stack).toContain('create-log.test.ts');
  });

  it('keeps its own keys when a field has the same name', () => {
    const { log, records } = logToText();
    log.info('own', { message: 'foreign', level: 'foreign', time: 5 });
    expect(records()).toMatchObject([
      { message: 'own', level: 'info', message_: 'foreign', level_: 'foreign', time_: 5 },
    ]);
  });

  it('takes what JSON cannot: cycles, big integers, bytes, and depth without end', () => {
    const { log, records } = logToText();
    const loop: Record<string, unknown> = { big: 12n, bytes: new Uint8Array(3), set: new Set([1]) };
    loop.self = loop;
    let deep: unknown = 'bottom';
    for (let level = 0; level < 50; level += 1) deep = { deep };
    log.info('odd', { loop, deep });
    expect(records()).toMatchObject([{ loop: { big: '12', bytes: '[3 bytes]', set: [1], self: '[circular]' } }]);
    expect(JSON.stringify(records())).toContain('[too deep]');
  });

  it('writes to standard error by default, and leaves standard output to the program', () => {
    const program = `import { createLog } from ${JSON.stringify(new URL('create-log.ts', import.meta.url).href)};
      createLog().info('hello');`;
    const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', program], {
      encoding: 'utf8',
    });
    expect(stdout).toBe('');
    expect(JSON.parse(stderr)).toMatchObject({ level: 'info', message: 'hello' });
  });
});

describe('secrets in the log', () => {
  const keys = ['password', 'Passphrase', 'api_key', 'apiKey', 'X-Api-Key', 'token', 'access_token', 'client_secret'];
  const headers = ['authorization', 'Proxy-Authorization', 'cookie', 'set-cookie'];

  it.each([...keys, ...headers])('never show under the key %s, however deep', (key) => {
    const { log, written } = logToText();
    const hidden = { [key]: 'hunter2' };
    log.info('at the top', hidden);
    log.info('below', { request: { headers: [hidden] }, map: new Map([[key, 'hunter2']]) });
    log.info('in an error', { error: Object.assign(new Error('refused'), hidden) });
    log.child(hidden).info('in a child');
    expect(written.join('')).not.toContain('hunter2');
    expect(written).toHaveLength(4);
    for (const line of written) expect(line).toContain('[redacted]');
  });

  it('never show for any secret-looking key at any place of any value', () => {
    const tree = fc.letrec((tie) => ({
      node: fc.oneof(
        { maxDepth: 4 },
        fc.string(),
        fc.constantFrom(...keys).map((key) => ({ [key]: { inner: 'hunter2' } })),
        fc.array(tie('node'), { maxLength: 3 }),
        fc.dictionary(fc.string(), tie('node'), { maxKeys: 3 }),
      ),
    }));
    fc.assert(
      fc.property(tree.node, (value) => {
        const { log, written } = logToText();
        log.info('anything', { value });
        expect(written.join('')).not.toContain('hunter2');
      }),
    );
  });

  it('never show in addresses and headers quoted in texts', () => {
    const { log, written } = logToText();
    log.warn('Cannot reach mqtt://rx01:hunter2@lead.local:1883.', {
      header: 'Bearer hunter2.abc',
      url: 'ws://:hunter2@x',
    });
    expect(written.join('')).not.toContain('hunter2');
    expect(written.join('')).toContain('mqtt://rx01:[redacted]@lead.local:1883');
  });

  it('can be marked by further names', () => {
    const { log, records } = logToText({ redact: ['enrol_code'] });
    log.info('joining', { enrolCode: '4711', unit: 'rx01' });
    expect(records()).toMatchObject([{ enrolCode: '[redacted]', unit: 'rx01' }]);
  });
});

describe('the log for people', () => {
  function pretty(colour: boolean) {
    const written: string[] = [];
    const out = prettyDestination({ write: (line) => written.push(line) }, { colour });
    return { log: createLog({ clock, destination: out }), out, written };
  }

  it('shows a line per message', () => {
    const { log, written } = pretty(false);
    log.info('The node is up.', { url: 'http://127.0.0.1:4999', units: 3, name: 'a b', list: [1, 2] });
    expect(written).toEqual([
      '2026-05-02T10:00:00.123Z INFO  The node is up. url=http://127.0.0.1:4999 units=3 name="a b" list=[1,2]\n',
    ]);
  });

  it('shows the stack of an error below its line, with what else it carries', () => {
    const { log, written } = pretty(false);
    log.error('Start failed.', { error: Object.assign(new Error('no port'), { code: 'EADDRINUSE' }) });
    const lines = written.join('').trimEnd().split('\n');
    expect(lines[0]).toBe('2026-05-02T10:00:00.123Z ERROR Start failed.');
    expect(lines[1]).toBe('    Error: no port');
    expect(lines.at(-1)).toBe('    {"code":"EADDRINUSE"}');
    log.error('Odd.', { error: 'just text' });
    expect(written.at(-1)).toBe('2026-05-02T10:00:00.123Z ERROR Odd.\n    error="just text"\n');
  });

  it('colours the level where the terminal can', () => {
    const { log, written } = pretty(true);
    log.warn('Careful.');
    expect(written).toEqual(['2026-05-02T10:00:00.123Z \u001b[33mWARN \u001b[0m Careful.\n']);
  });

  it('does not let a logged text steer the terminal or fake a line', () => {
    const { log, written } = pretty(false);
    log.info('x\u001b[2J\nERROR fake', { name: '\u001b]0;title\u0007' });
    expect(written).toHaveLength(1);
    expect(written.join('').trimEnd()).not.toMatch(/\p{Cc}/u);
  });

  it('passes lines of others unchanged', () => {
    const { out, written } = pretty(false);
    out.write('not json\n');
    out.write('42\n');
    expect(written).toEqual(['not json\n', '42\n']);
  });
});

describe('logs for tests', () => {
  it('remember every line with the fields of the logs it came through', () => {
    const log = memoryLog();
    log.child({ unit: 'rx01' }).warn('slow', { ms: 5 });
    log.error('broken');
    expect(log.lines).toEqual([
      { level: 'warn', message: 'slow', fields: { unit: 'rx01', ms: 5 } },
      { level: 'error', message: 'broken', fields: {} },
    ]);
    expect(log.messages('error')).toEqual(['broken']);
  });

  it('can be silent', () => {
    const log = silentLog();
    expect(() => log.child({}).error('nothing')).not.toThrow();
  });
});
