import { copyFileSync, cpSync, existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { Architecture } from './architectures.ts';
import { addonArchives, unpacked } from './archives.ts';
import { bashCompletion, manualPage } from './command-texts.ts';
import { type DebianPackage, put, putCompressed } from './debian-package.ts';
import { lockedPackages } from './lock-file.ts';
import { buildPrograms, installAddon, strip } from './native-programs.ts';
import { programScripts } from './scripts.ts';

export interface PackageContext {
  readonly repository: string;
  /** Unpacked archives; kept between builds. */
  readonly cache: string;
  readonly version: string;
  /** Time of all files, in seconds. */
  readonly epochS: number;
}

const home = 'usr/lib/lcs';
const launcher = `#!/bin/sh
exec /${home}/bin/node /${home}/packages/cli/bin/lcs.js "$@"
`;

/** The folder of the pinned Node: the one that the lock-file has for this computer. @throws BuildFailure */
export function pinnedNode(
  { repository, cache }: Pick<PackageContext, 'repository' | 'cache'>,
  { nodePackage }: Architecture,
): string {
  const found = lockedPackages(repository).find(({ name }) => name === nodePackage);
  if (found === undefined) throw new Error(`package-lock.json has no ${nodePackage}.`);
  return unpacked(found, cache);
}

/** Node, the bundle, the web UI, the I2C addon and two native programs, with their texts, in `root`. @throws BuildFailure */
export function programPackage(context: PackageContext, architecture: Architecture, root: string): DebianPackage {
  const { repository, cache, version } = context;
  const packages = path.join(repository, 'packages');
  const into = (...names: string[]): string => path.join(root, home, ...names);
  const node = pinnedNode(context, architecture);

  buildPrograms(architecture, into('bin'));
  copyFileSync(path.join(node, 'bin/node'), into('bin/node'));
  strip(architecture, into('bin/node'));

  const cli = into('packages/cli');
  for (const name of ['package.json', 'bin', 'dist']) {
    cpSync(path.join(packages, 'cli', name), path.join(cli, name), {
      recursive: true,
      // Of the builder; the maps of the sources take two thirds of the place.
      filter: (file) => !/\.inputs$|\.map$/.test(file),
    });
  }
  cpSync(path.join(packages, 'web/dist'), into('packages/web/dist'), {
    recursive: true,
    filter: (file) => !/\.inputs$|\.map$/.test(file),
  });
  installAddon(architecture, node, cache, path.join(cli, 'node_modules'));

  put(root, 'usr/bin/lcs', launcher, 0o755);
  const day = new Date(context.epochS * 1000).toISOString().slice(0, 10);
  putCompressed(root, 'usr/share/man/man1/lcs.1', manualPage(version, day));
  put(root, 'usr/share/bash-completion/completions/lcs', bashCompletion());
  putCompressed(root, 'usr/share/doc/lcs/changelog', readFileSync(path.join(repository, 'CHANGELOG.md'), 'utf8'));
  put(root, 'usr/share/doc/lcs/copyright', licences(context, node));
  return {
    name: 'lcs',
    version,
    architecture: architecture.debian,
    depends: ['libc6 (>= 2.34)', 'libstdc++6 (>= 12)', 'libatomic1', 'adduser'],
    summary: 'control and data service for small bioreactors, program',
    description:
      'One instrument out of many small bioreactors: HTTP API, web UI, broker and store\nof the leader, jobs of the units, and the command line. This package has the program;\nlcs-leader and lcs-unit run it as services.',
    scripts: programScripts,
  };
}

/** The licence of the program, and those of everything that is in its bundle. */
function licences({ repository, cache }: PackageContext, node: string): string {
  const bundled = lockedPackages(repository)
    .filter(({ name }) => !name.startsWith('node-linux-'))
    .map(({ name, version, license, folder }) => ({ name, version, license, folder: path.join(repository, folder) }));
  const added = ['i2c-bus', 'bindings', 'file-uri-to-path'] as const;
  const unpackedOnes = added.map((name) => {
    const { version } = addonArchives[name];
    return { name, version, license: 'MIT', folder: unpacked(addonArchives[name], cache) };
  });
  const parts = [...bundled, ...unpackedOnes, { name: 'Node.js', version: '', license: 'MIT', folder: node }];
  const sections = parts.map(({ name, version, license, folder }) => {
    const heading = `${`${name} ${version}`.trim()} (${license})`;
    return `${heading}\n${'-'.repeat(heading.length)}\n\n${licenceText(folder)}`;
  });
  return ['Leader Control Service: MIT.', 'It contains:', ...sections].join('\n\n');
}

function licenceText(folder: string): string {
  if (!existsSync(folder)) return 'Of another computer: not in this package.\n';
  const file = readdirSync(folder).find((name) => /^(licen[cs]e|copying)/i.test(name));
  return file === undefined ? 'No text in its package.\n' : readFileSync(path.join(folder, file), 'utf8');
}
