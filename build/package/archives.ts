import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync } from 'node:fs';
import path from 'node:path';
import { BuildFailure } from './build-failure.ts';

/** An archive of the npm registry, checked by its hash. */
export interface Archive {
  readonly name: string;
  readonly version: string;
  /** As the lock-file has it: `sha512-…`. */
  readonly integrity: string;
}

/**
 * The I2C addon and what it is compiled and loaded with. They are no dependencies of the program: `npm ci` would compile the addon on
 * every computer, and fail without a compiler.
 */
export const addonArchives = {
  'i2c-bus': {
    name: 'i2c-bus',
    version: '5.2.3',
    integrity: 'sha512-kzFgU0OSIZlaeUUa+VK7L+kkxnj4feimCVQDOPrzj0cTaB+hNweTsO8/j7QvW2gRgWQ7ds5IpfFjpBrX+fMNng==',
  },
  nan: {
    name: 'nan',
    version: '2.30.0',
    integrity: 'sha512-P5mokDkSvCGBz6mZDD/2l+w9QoICRXdCyZ9ONGmTePr40oihJg3Kpn0YU3twKd6PJnwSlLBWNQeOT6yWEV2c4A==',
  },
  bindings: {
    name: 'bindings',
    version: '1.5.0',
    integrity: 'sha512-p2q/t/mhvuOj/UeLlV6566GD/guowlr0hHxClI0W9m7MWYkL1F0hLo+0Aexs9HSPCtR1SXQ0TD3MMKrXZajbiQ==',
  },
  'file-uri-to-path': {
    name: 'file-uri-to-path',
    version: '1.0.0',
    integrity: 'sha512-0Zt+s3L7Vf1biwWZ29aARiVYLx7iMGnEUl9x33fbB/j3jR81u/O2LbqK+Bm1CDSNDKVtJ/YjwY7TUd5SkeLQLw==',
  },
} as const satisfies Record<string, Archive>;

const hashOf = (file: string): string => `sha512-${createHash('sha512').update(readFileSync(file)).digest('base64')}`;

/** Unpacks an archive into a folder of the cache, and returns that folder. @throws BuildFailure */
export function unpacked({ name, version, integrity }: Archive, cache: string): string {
  const folder = path.join(cache, `${name}-${version}`);
  if (existsSync(folder)) return folder;
  const fresh = path.join(cache, `${name}-${version}.new-${process.pid}`);
  mkdirSync(fresh, { recursive: true });
  execFileSync('npm', ['pack', '--silent', '--pack-destination', fresh, `${name}@${version}`], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const archive = path.join(fresh, `${name}-${version}.tgz`);
  const found = hashOf(archive);
  if (found !== integrity) throw new BuildFailure(`${name} ${version} has the hash ${found} instead of ${integrity}.`);
  execFileSync('tar', ['-xzf', archive, '-C', fresh, '--strip-components=1', '--no-same-owner']);
  renameSync(fresh, folder);
  return folder;
}
