import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { architectures } from './architectures.ts';
import { BuildFailure } from './build-failure.ts';
import { buildPackage } from './debian-package.ts';
import { type PackageContext, programPackage } from './program-package.ts';
import { rolePackage } from './role-package.ts';

/**
 * `npm run package` makes the Debian packages: `lcs` for each architecture, `lcs-leader` and `lcs-unit` for all.
 * --out <folder>          default: dist
 * --architecture <name>   amd64 or arm64; repeatable; default: both
 * --version <version>     default: that of package.json
 * --compression <kind>    xz or none (quick, for tests); default: xz
 */
const repository = path.dirname(path.dirname(import.meta.dirname));

/** The time of the newest commit, unless the builder names another one (reproducible-builds.org, SOURCE_DATE_EPOCH). */
function epochS(): number {
  const given = process.env.SOURCE_DATE_EPOCH;
  if (given !== undefined) return Number(given);
  return Number(execFileSync('git', ['log', '-1', '--format=%ct'], { cwd: repository, encoding: 'utf8' }));
}

function packageVersion(): string {
  const described: unknown = JSON.parse(readFileSync(path.join(repository, 'package.json'), 'utf8'));
  if (typeof described === 'object' && described !== null && 'version' in described) return String(described.version);
  throw new Error('package.json has no version.');
}

function main(): void {
  const { values } = parseArgs({
    options: {
      out: { type: 'string', default: path.join(repository, 'dist') },
      architecture: { type: 'string', multiple: true, default: architectures.map(({ debian }) => debian) },
      version: { type: 'string', default: packageVersion() },
      compression: { type: 'string', default: 'xz' },
    },
  });
  const chosen = values.architecture.map((name) => {
    const found = architectures.find(({ debian }) => debian === name);
    if (found === undefined) throw new BuildFailure(`Unknown architecture ${name}: choose amd64 or arm64.`);
    return found;
  });
  const { compression } = values;
  if (compression !== 'xz' && compression !== 'none')
    throw new BuildFailure(`Unknown compression ${compression}: choose xz or none.`);
  const context: PackageContext = {
    repository,
    cache: path.join(repository, 'node_modules/.cache/packages'),
    version: values.version,
    epochS: epochS(),
  };
  const target = { folder: values.out, epochS: context.epochS, compression } as const;
  const folder = mkdtempSync(path.join(os.tmpdir(), 'lcs-package-'));
  try {
    const print = (file: string): void => {
      process.stdout.write(`${file}  ${(statSync(file).size / 1e6).toFixed(1)} MB\n`);
    };
    for (const architecture of chosen) {
      const root = path.join(folder, architecture.debian);
      print(buildPackage(root, programPackage(context, architecture, root), target));
    }
    for (const role of ['leader', 'unit'] as const) {
      const root = path.join(folder, role);
      print(buildPackage(root, rolePackage(context, role, root), target));
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

try {
  main();
} catch (error) {
  if (!(error instanceof BuildFailure)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
