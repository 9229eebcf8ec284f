import { readdir, readFile, stat } from 'node:fs/promises';
import { join, parse } from 'node:path';
import { errnoOf } from '@lcs/platform';
import { type Static, Type } from 'typebox';
import { Value } from 'typebox/value';

const Text = Type.Optional(Type.Unknown());
const PackageFile = Type.Object({
  name: Type.String(),
  version: Text,
  description: Text,
  author: Text,
  homepage: Text,
  main: Text,
  lcs: Type.Object({ entry: Type.Optional(Type.String()), leader_only: Type.Optional(Type.Boolean()) }),
});
type PackageFile = Static<typeof PackageFile>;

/** The known identity of a plugin. */
export interface PluginIdentity {
  readonly name: string;
  readonly version: string | null;
  readonly description: string | null;
  readonly author: string | null;
  readonly homepage: string | null;
  readonly leaderOnly: boolean;
}

/** A plugin in the folder, not yet loaded. */
export interface FoundPlugin {
  /** `package`, or `plugins/<file>`. */
  readonly source: string;
  /** Name of the package, or of the file with its extension; unique. */
  readonly id: string;
  /** The file to load. */
  readonly entry: string;
  /** Differs when the plugin has changed. */
  readonly stamp: string;
  /** Of a package; that of a file is known when it is loaded. */
  readonly identity: PluginIdentity | undefined;
}

/** A file that may be a plugin. */
export const pluginFile = /^[A-Za-z0-9][A-Za-z0-9_.-]{0,100}\.(js|ts)$/;
const isPluginFile = (name: string): boolean => pluginFile.test(name) && !name.endsWith('.d.ts');

async function orNothing<Result>(work: Promise<Result>): Promise<Result | undefined> {
  try {
    return await work;
  } catch (error) {
    const code = errnoOf(error);
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw error;
  }
}

const stampOf = async (path: string): Promise<string | undefined> => {
  const found = await orNothing(stat(path));
  return found?.isFile() ? `${found.mtimeMs} ${found.size} ${found.ino}` : undefined;
};

const textOf = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null);
const authorOf = (value: unknown): string | null =>
  typeof value === 'object' && value !== null && 'name' in value ? textOf(value.name) : textOf(value);

/** The identity of the plugin with this package.json; undefined when it is not a plugin. */
export function identityInPackage(text: string): PluginIdentity | undefined {
  const own = parsePackage(text);
  return own && identityOf(own);
}

function parsePackage(text: string): PackageFile | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return Value.Check(PackageFile, value) ? value : undefined;
  } catch {
    // npm itself reports a package.json that is not JSON.
    return undefined;
  }
}

const identityOf = ({ name, version, description, author, homepage, lcs }: PackageFile): PluginIdentity => ({
  name,
  version: textOf(version),
  description: textOf(description),
  author: authorOf(author),
  homepage: textOf(homepage),
  leaderOnly: lcs.leader_only ?? false,
});

/** The package in this folder, if it declares a plugin. */
export async function pluginPackage(folder: string): Promise<FoundPlugin | undefined> {
  const text = await orNothing(readFile(join(folder, 'package.json'), 'utf8'));
  const own = text === undefined ? undefined : parsePackage(text);
  if (own === undefined) return undefined;
  const entry = join(folder, own.lcs.entry ?? textOf(own.main) ?? 'index.js');
  const stamps = await Promise.all([join(folder, 'package.json'), entry].map(stampOf));
  return {
    source: 'package',
    id: own.name,
    entry,
    stamp: `${own.version} ${stamps.join(' ')}`,
    identity: identityOf(own),
  };
}

async function packageFolders(modules: string): Promise<readonly string[]> {
  const names = ((await orNothing(readdir(modules))) ?? []).filter((name) => !name.startsWith('.'));
  const folders = await Promise.all(
    names.map(async (name) => {
      if (!name.startsWith('@')) return [name];
      return ((await orNothing(readdir(join(modules, name)))) ?? []).map((inner) => `${name}/${inner}`);
    }),
  );
  return folders.flat().sort();
}

/** All plugins of a folder: files in the order of their names, then packages. Loading is separate. */
export async function findPlugins(folder: string): Promise<readonly FoundPlugin[]> {
  const names = ((await orNothing(readdir(folder))) ?? []).filter(isPluginFile).sort();
  const files = await Promise.all(
    names.map(async (id): Promise<FoundPlugin[]> => {
      const entry = join(folder, id);
      const stamp = await stampOf(entry);
      return stamp === undefined ? [] : [{ source: `plugins/${id}`, id, entry, stamp, identity: undefined }];
    }),
  );
  const modules = join(folder, 'node_modules');
  const packages = await Promise.all((await packageFolders(modules)).map((name) => pluginPackage(join(modules, name))));
  return [...files.flat(), ...packages.flatMap((one) => (one === undefined ? [] : [one]))];
}

/** `air_bubbler` of `air_bubbler.ts`. */
export const stemOf = (fileName: string): string => parse(fileName).name;
