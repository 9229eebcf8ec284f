import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { readBoardFiles } from './board-files.ts';

async function folderWith(files: Readonly<Record<string, string>>): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'lcs-board-files-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  for (const [file, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, 'hardware', file)), { recursive: true });
    await writeFile(join(folder, 'hardware', file), text);
  }
  return folder;
}

it('reads overrides of boards and models from files', async () => {
  const folder = await folderWith({
    'hats/1.2/pwm.yaml': '5: 19\n',
    'hats/1.2/gpio.yml': 'hall: 20\nstatus_light: 22\nbutton: 5\n',
    'hats/1.1/temp.yaml': 'address: 0x4e\n',
    'hats/1.1/dac.yaml': 'chip: dac43608\naddress: 0x4a\n',
    'hats/1.1/readme.txt': 'nothing of ours',
    'models/pioreactor_20ml/1.5/adc.yaml':
      'pd1: {chip: ads1114, address: 0x48}\npd2: {chip: ads1115, address: 0x49, input: 2}\n',
  });
  expect(await readBoardFiles(folder)).toEqual({
    boards: {
      '1.1': { temperatureAddress: 0x4e, ledDriver: { chip: 'dac43608', address: 0x4a } },
      '1.2': { pwmLines: { 5: 19 }, hallLine: 20, statusLightLine: 22, buttonLine: 5 },
    },
    models: {
      'reactor_20ml/1.5': {
        photodiodes: {
          1: { chip: 'ads1114', address: 0x48, input: 0 },
          2: { chip: 'ads1115', address: 0x49, input: 2 },
        },
      },
    },
  });
});

it('needs no files', async () => {
  expect(await readBoardFiles(await folderWith({}))).toEqual({ boards: {}, models: {} });
});

it.each([
  ['hats/1.2/pwm.yaml', '5: 40\n', /^hardware\/hats\/1\.2\/pwm\.yaml, line 1: .*27/],
  ['hats/1.2/pwm.yaml', '6: 4\n', /^hardware\/hats\/1\.2\/pwm\.yaml.*6/],
  ['hats/1.2/temp.yaml', 'address: [\n', /^hardware\/hats\/1\.2\/temp\.yaml, line/],
  ['hats/1.2/temp.yaml', 'address: 0x7f\n', /temp\.yaml, line 1/],
  ['hats/1.2/heater.yaml', 'pin: 1\n', /heater.*adc, dac, temp, gpio, pwm/],
  ['hats/9.9/temp.yaml', 'address: 0x4f\n', /9\.9.*1\.0, 1\.1, 1\.2/],
  ['models/reactor_20ml/1.5/pwm.yaml', '5: 19\n', /adc/],
])('prevents the start of the unit for %s: %s', async (file, text, sentence) => {
  const reading = readBoardFiles(await folderWith({ [file]: text }));
  await expect(reading).rejects.toThrow(sentence);
  await expect(reading).rejects.toMatchObject({ name: 'StartupError' });
});
