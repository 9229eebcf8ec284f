import { runProgram } from '@lcs/cli/testing';
import { realClock } from '@lcs/platform';
import { describe, expect, it } from 'vitest';
import { startBusyUnit } from './busy-unit.ts';
import { canMount, makeTrouble } from './store-trouble.ts';

const limitMs = 10_000;
const wire = realClock();

/** The command for the unit's data folder; on a computer without a board. */
const outputsOff = async (dataFolder: string, ...more: readonly string[]) => {
  const begunMs = wire.monotonic();
  const outcome = await runProgram(['outputs-off', '--data-dir', dataFolder, ...more]);
  expect(wire.monotonic() - begunMs).toBeLessThan(limitMs);
  return outcome;
};

describe.runIf(canMount()).each(['full', 'locked'] as const)(
  'lcs outputs-off, when the disk of the unit is %s',
  (trouble) => {
    it('fails beside a running unit, whose jobs switch on again, and not when there is none', async () => {
      await using world = await startBusyUnit('none');
      await world.run('stirring', { target_rpm: 500 });
      await using _ = await makeTrouble(world, 'unit', trouble);
      const folder = `${world.unitDisk.path}/data`;
      const beside = await outputsOff(folder, '--board', 'simulated');
      expect(beside).toMatchObject({ code: 1, out: '', err: expect.stringContaining('A node is running') });
      await world.unit.kill('SIGKILL');
      expect(await outputsOff(folder, '--board', 'simulated', '--json')).toMatchObject({
        code: 0,
        out: '{"ok":true,"board":false}\n',
      });
      // Every output of the board is tried; here there is none.
      const tried = await outputsOff(folder, '--board', 'linux', '--board-version', '1.2');
      expect(tried).toMatchObject({ code: 1, err: expect.stringContaining('9 outputs could not be switched off') });
    });
  },
);
