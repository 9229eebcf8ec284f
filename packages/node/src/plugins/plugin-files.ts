import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { errnoOf } from '@lcs/platform';
import { stringify } from 'yaml';
import type { PluginDescription } from './plugin-description.ts';

/** The pattern of generated files. */
export const ownFile = /^(ui\/[a-z]+(\/[a-z]+)?|exportable_datasets)\/[A-Za-z0-9_-]+\.[0-9]+\.yaml$/;

const fileName = (plugin: string, index: number): string =>
  `${plugin.replaceAll(/[^A-Za-z0-9_-]+/g, '_')}.${index + 1}.yaml`;

/** The descriptors and datasets of a plugin as files below the folder of plugins, where those of users are read too. */
export function filesOf(plugin: string, { descriptors, datasets }: PluginDescription): ReadonlyMap<string, string> {
  const { jobs, settings, charts, readings, automations } = descriptors;
  const groups: readonly (readonly [string, readonly object[]])[] = [
    ['ui/jobs', jobs],
    ['ui/settings', settings],
    ['ui/charts', charts],
    ['ui/readings', readings],
    ...Object.entries(automations).map(([type, list]) => [`ui/automations/${type}`, list] as const),
    ['exportable_datasets', datasets],
  ];
  return new Map(
    groups.flatMap(([folder, list]) =>
      list.map((one, index) => [`${folder}/${fileName(plugin, index)}`, stringify(one)] as const),
    ),
  );
}

async function textOf(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/** Writes the files of a plugin and removes its obsolete ones. */
export async function placeFiles(
  folder: string,
  files: ReadonlyMap<string, string>,
  before: readonly string[],
): Promise<void> {
  for (const [name, text] of files) {
    const path = join(folder, name);
    if ((await textOf(path)) === text) continue;
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, text);
  }
  for (const name of before) if (!files.has(name)) await rm(join(folder, name), { force: true });
}
