import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { temporaryFolder } from '@lcs/testkit';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { applyChanges } from './apply-changes.ts';
import { boardPurge } from './board-purge.ts';
import { write } from './change.ts';
import { linesFor, type Outputs, withLines, withOutputs } from './config-txt.ts';
import { linuxMachine } from './linux-machine.ts';

const configTxt = '/boot/firmware/config.txt';

/** One run of setup for each choice, what somebody writes behind it, and a purge; resolves to the file after it. */
async function purged(text: string, choices: readonly (Outputs | undefined)[], behind = '') {
  await using folder = await temporaryFolder('purge');
  const file = path.join(folder.path, configTxt);
  await mkdir(path.join(path.dirname(file), 'overlays'), { recursive: true });
  await writeFile(file, text, 'latin1');
  await chmod(file, 0o755);
  await writeFile(path.join(path.dirname(file), 'overlays/vc4-kms-v3d.dtbo'), 'of somebody else');
  const ports = linuxMachine({ root: folder.path, isRoot: true });
  await applyChanges([write('/boot/firmware/overlays/lcs-outputs.dtbo', 'overlay', 'a test')], ports, () => {});
  const shown = { mode: 0o755, encoding: 'latin1', keepsOriginal: true } as const;
  for (const choice of choices) {
    const before = readFileSync(file, 'latin1');
    const after = choice === undefined ? withLines(before, linesFor(before)) : withOutputs(before, choice);
    if (after !== before) await applyChanges([write(configTxt, after, 'a test', shown)], ports, () => {});
  }
  await writeFile(file, behind, { flag: 'a', encoding: 'latin1' });
  execFileSync('sh', ['-e', '-c', boardPurge(folder.path)]);
  const left = readdirSync(path.dirname(file)).concat(readdirSync(path.join(path.dirname(file), 'overlays')));
  return { text: readFileSync(file, 'latin1'), left: left.toSorted(), mode: statSync(file).mode & 0o777 };
}

const line = fc.constantFrom(
  '',
  '# a comment',
  '[pi4]',
  '[all]',
  'dtparam=i2c_arm=on',
  'dtparam=audio=on',
  'dtoverlay=vc4-kms-v3d',
  'dtoverlay=pwm-gpio,gpio=17',
  '#dtoverlay=pwm-gpio,gpio=16',
  'dtoverlay=lcs-outputs,pin=4',
  'name=caf\xe9',
);
const texts = fc
  .tuple(fc.array(line, { maxLength: 8 }), fc.constantFrom('\n', '\r\n'), fc.boolean())
  .map(([lines, newline, isEnded]) => lines.join(newline) + (isEnded && lines.length > 0 ? newline : ''));

describe('a purge', () => {
  it('gives any config.txt back as it was before setup, byte by byte, and leaves no file of setup', async () => {
    const choice = fc.constantFrom<Outputs | undefined>(undefined, 'pwm', 'lcs-outputs');
    const runs = fc.asyncProperty(texts, fc.array(choice, { minLength: 1, maxLength: 3 }), async (text, choices) => {
      const { left, ...rest } = await purged(text, choices);
      expect(rest).toEqual({ text, mode: 0o755 });
      expect(left).toEqual(['config.txt', 'overlays', 'vc4-kms-v3d.dtbo']);
    });
    await fc.assert(runs, { numRuns: 60 });
  });

  it.each<[before: string, behind: string, after: string]>([
    ['a=1\n', 'dtparam=spi=on\n', 'a=1\ndtparam=spi=on\n'],
    ['a=1\n', '\n# mine\ndtparam=i2c_arm=on\n', 'a=1\n\n# mine\ndtparam=i2c_arm=on\n'],
    // They hold for the same computers, and for the base.
    ['[pi4]\na=1\n', 'dtparam=spi=on\n', '[pi4]\na=1\n[all]\ndtparam=spi=on\n'],
    ['dtoverlay=x\n', '\ndtparam=audio=on\n', 'dtoverlay=x\n\ndtoverlay=\ndtparam=audio=on\n'],
    ['[pi4]\na=1\n', '# only a comment\n', '[pi4]\na=1\n# only a comment\n'],
    // Made a comment by setup, and by somebody else.
    ['dtoverlay=pwm-gpio,gpio=17\n', 'b=2\n', 'dtoverlay=pwm-gpio,gpio=17\nb=2\n'],
    ['#dtoverlay=pwm-gpio,gpio=17\n', 'b=2\n', '#dtoverlay=pwm-gpio,gpio=17\nb=2\n'],
  ])('leaves %j with %j behind it as %j', async (before, behind, after) => {
    expect((await purged(before, ['lcs-outputs'], behind)).text).toBe(after);
  });

  it('needs no boot partition', async () => {
    await using folder = await temporaryFolder('purge');
    execFileSync('sh', ['-e', '-c', boardPurge(folder.path)]);
    expect(existsSync(path.join(folder.path, 'boot'))).toBe(false);
  });
});
