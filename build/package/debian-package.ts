import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { gzipSync } from 'node:zlib';

/** One Debian package, its files in a folder that becomes the root of the computer. */
export interface DebianPackage {
  readonly name: string;
  readonly version: string;
  readonly architecture: string;
  readonly depends: readonly string[];
  readonly recommends?: readonly string[];
  /** One line. */
  readonly summary: string;
  readonly description: string;
  /** Files that an administrator may change: an upgrade keeps the changes. */
  readonly configurationFiles?: readonly string[];
  /** `postinst`, `prerm`, `postrm` by name: shell scripts. */
  readonly scripts: Readonly<Record<string, string>>;
}

const maintainer = 'Developers of the Leader Control Service <lcs@localhost>';

export function put(root: string, file: string, content: string | Uint8Array, mode = 0o644): void {
  const target = path.join(root, file);
  mkdirSync(path.dirname(target), { recursive: true });
  writeFileSync(target, content);
  chmodSync(target, mode);
}

/** Compressed without its name and time, so that the same text gives the same bytes. */
export const putCompressed = (root: string, file: string, text: string): void =>
  put(root, `${file}.gz`, gzipSync(text, { level: 9 }));

function filesOf(root: string): readonly string[] {
  return readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(root, path.join(entry.parentPath, entry.name)))
    .sort();
}

/** The umask of whoever builds must not show in the package. */
function settleModes(root: string): void {
  chmodSync(root, 0o755);
  for (const entry of readdirSync(root, { recursive: true, withFileTypes: true })) {
    const at = path.join(entry.parentPath, entry.name);
    if (entry.isDirectory()) chmodSync(at, 0o755);
    else if (entry.isFile()) chmodSync(at, (statSync(at).mode & 0o111) === 0 ? 0o644 : 0o755);
  }
}

function controlText(root: string, made: DebianPackage): string {
  const installedKib = filesOf(root).reduce(
    (sum, file) => sum + Math.ceil(statSync(path.join(root, file)).size / 1024),
    0,
  );
  const fields: Readonly<Record<string, string>> = {
    Package: made.name,
    Version: made.version,
    Architecture: made.architecture,
    Maintainer: maintainer,
    'Installed-Size': String(installedKib),
    Depends: made.depends.join(', '),
    ...(made.recommends && { Recommends: made.recommends.join(', ') }),
    Section: 'science',
    Priority: 'optional',
    Description: `${made.summary}\n ${made.description.replaceAll('\n', '\n ')}`,
  };
  return `${Object.entries(fields)
    .map(([field, value]) => `${field}: ${value}`)
    .join('\n')}\n`;
}

/** `none`: quick, for tests. */
type Compression = 'xz' | 'none';

export interface PackageTarget {
  readonly folder: string;
  /** Time of all files, in seconds. */
  readonly epochS: number;
  readonly compression: Compression;
}

/**
 * Makes `<name>_<version>_<architecture>.deb` out of `root`, and returns its path. The same files give the same bytes: owners, order
 * and the times (`SOURCE_DATE_EPOCH`) do not depend on the computer.
 */
export function buildPackage(
  root: string,
  made: DebianPackage,
  { folder, epochS, compression }: PackageTarget,
): string {
  const sums = filesOf(root).map((file) => {
    const sum = createHash('md5')
      .update(readFileSync(path.join(root, file)))
      .digest('hex');
    return `${sum}  ${file}\n`;
  });
  const control = controlText(root, made);
  settleModes(root);
  put(root, 'DEBIAN/control', control);
  put(root, 'DEBIAN/md5sums', sums.join(''));
  const { configurationFiles = [] } = made;
  if (configurationFiles.length > 0) put(root, 'DEBIAN/conffiles', `${configurationFiles.join('\n')}\n`);
  for (const [name, text] of Object.entries(made.scripts)) put(root, `DEBIAN/${name}`, text, 0o755);
  mkdirSync(folder, { recursive: true });
  const file = path.join(folder, `${made.name}_${made.version}_${made.architecture}.deb`);
  execFileSync('dpkg-deb', ['--root-owner-group', `-Z${compression}`, '--build', root, file], {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { ...process.env, SOURCE_DATE_EPOCH: String(epochS) },
  });
  rmSync(root, { recursive: true });
  return file;
}
