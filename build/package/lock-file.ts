import { readFileSync } from 'node:fs';
import path from 'node:path';
import Type from 'typebox';
import Value from 'typebox/value';

const lockSchema = Type.Object({
  packages: Type.Record(
    Type.String(),
    Type.Object({
      version: Type.Optional(Type.String()),
      integrity: Type.Optional(Type.String()),
      license: Type.Optional(Type.String()),
      dev: Type.Optional(Type.Boolean()),
      link: Type.Optional(Type.Boolean()),
    }),
  ),
});

export interface LockedPackage {
  readonly name: string;
  readonly version: string;
  readonly integrity: string;
  readonly license: string;
  /** Folder, from the root of the repository. */
  readonly folder: string;
}

/** The packages of `package-lock.json` that the program is made of. */
export function lockedPackages(repository: string): readonly LockedPackage[] {
  const lock = Value.Parse(lockSchema, JSON.parse(readFileSync(path.join(repository, 'package-lock.json'), 'utf8')));
  return Object.entries(lock.packages).flatMap(([folder, { version, integrity, license, dev, link }]) => {
    const name = folder.split('node_modules/').at(-1) ?? '';
    const isOfProgram = folder.includes('node_modules/') && !dev && !link;
    if (!isOfProgram || version === undefined || integrity === undefined) return [];
    return [{ name, version, integrity, license: license ?? 'see its text', folder }];
  });
}
