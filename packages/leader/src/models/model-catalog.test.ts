import { mkdir, rm, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { builtInModels } from '@lcs/domain';
import { memoryLog } from '@lcs/platform';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../testing/test-leader.ts';
import { ModelCatalog } from './model-catalog.ts';

const fileOf = (name: string, version: string, display = 'Mine') => `
model_name: ${name}
model_version: "${version}"
display_name: ${display}
reactor_capacity_ml: 60
reactor_diameter_mm: 31
reactor_max_fill_volume_ml: 54
max_temp_to_reduce_heating: 60
max_temp_to_disable_heating: 62
max_temp_to_shutdown: 64
`;

async function createCatalog(folder: string) {
  const log = memoryLog();
  let seconds = 1_700_000_000;
  /** Writes a file with a new time of change, as an editor does. */
  const write = async (name: string, text: string) => {
    await writeFile(join(folder, name), text);
    seconds += 10;
    await utimes(join(folder, name), seconds, seconds);
  };
  return { log, write, catalog: new ModelCatalog({ builtIn: builtInModels, folder, log }) };
}

describe('ModelCatalog', () => {
  it('has the built-in models when there is no folder', async () => {
    const { catalog, log } = await createCatalog('/nowhere/at/all');
    expect(await catalog.list()).toEqual(builtInModels);
    expect(log.lines).toEqual([]);
  });

  it('adds the models of files after them, by file name; one replaces a model of the same name', async () => {
    await using folder = await temporaryFolder();
    const { catalog, write } = await createCatalog(folder.path);
    await write('b.yaml', fileOf('zz', '1'));
    await write('a.yml', fileOf('my_reactor', '1'));
    await write('override.yaml', fileOf('reactor_20ml', '1.5', 'Better'));
    await write('readme.txt', 'no model');
    await mkdir(join(folder.path, '.hidden'));
    const models = await catalog.list();
    expect(models).toHaveLength(builtInModels.length + 2);
    expect(models.slice(-2).map(({ model_name }) => model_name)).toEqual(['my_reactor', 'zz']);
    const place = builtInModels.findIndex((each) => each.model_name === 'reactor_20ml' && each.model_version === '1.5');
    expect(models[place]).toMatchObject({ display_name: 'Better', is_contrib: true, is_legacy: false });
    expect(await catalog.find('pioreactor_20ml', '1.5')).toBe(models[place]);
    expect(await catalog.find('reactor_20ml', '9')).toBeUndefined();
  });

  it('reads a file again when it changes, and forgets one that is removed', async () => {
    await using folder = await temporaryFolder();
    const { catalog, write } = await createCatalog(folder.path);
    await write('a.yaml', fileOf('mine', '1', 'Old'));
    expect((await catalog.find('mine', '1'))?.display_name).toBe('Old');
    await write('a.yaml', fileOf('mine', '1', 'New'));
    expect((await catalog.find('mine', '1'))?.display_name).toBe('New');
    await rm(join(folder.path, 'a.yaml'));
    expect(await catalog.find('mine', '1')).toBeUndefined();
  });

  it('leaves out a file that cannot be used, with one line in the log each time it has changed', async () => {
    await using folder = await temporaryFolder();
    const { catalog, write, log } = await createCatalog(folder.path);
    await write('good.yaml', fileOf('mine', '1'));
    await write('bad.yaml', 'a: [');
    await mkdir(join(folder.path, 'folder.yaml'));
    expect(await catalog.list()).toHaveLength(builtInModels.length + 1);
    await catalog.list();
    expect(log.messages('error')).toHaveLength(2);
    await write('bad.yaml', 'still bad');
    await catalog.list();
    expect(log.messages('error')).toHaveLength(3);
  });
});
