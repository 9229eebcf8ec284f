import { VirtualClock } from '@lcs/platform';
import { expect, it } from 'vitest';
import type { RunTool } from './machine-ports.ts';
import { unitSettled } from './settle-unit.ts';

const before = 'a'.repeat(32);
const current = 'b'.repeat(32);
const refused = '{"level":"warn","code":"enrol_code_wrong","reason":"Wrong.","retryMs":10000}';
const enrolled = '{"level":"info","leader":"lab","leaderId":"x"}';

it('waits for an answer to the current run of the unit, and ignores a former one', async () => {
  const clock = new VirtualClock();
  const run: RunTool = async (program, args) => {
    const logs = { [before]: refused, [current]: clock.monotonic() < 2000 ? '' : enrolled };
    const [, id = ''] = /^_SYSTEMD_INVOCATION_ID=(.*)$/.exec(args[0] ?? '') ?? [];
    return { exitCode: 0, stderr: '', stdout: program === 'systemctl' ? `${current}\n` : (logs[id] ?? refused) };
  };
  const settled = unitSettled(run, clock);
  await clock.advance(3000);
  expect(await settled).toEqual({ kind: 'enrolled', leader: 'lab' });
});
