import { readFileSync } from 'node:fs';
import { makeRelease } from '@lcs/node';

/**
 * Makes a signed release archive:
 * node build/make-release.ts <version> <private key, PKCS#8 PEM> <target.zip> CHANGELOG.md <package.tgz>…
 */
const [version, keyFile, target, ...files] = process.argv.slice(2);
if (version === undefined || keyFile === undefined || target === undefined || files.length === 0) {
  process.stderr.write('Usage: make-release.ts <version> <key.pem> <target.zip> CHANGELOG.md <package.tgz>…\n');
  process.exitCode = 2;
} else {
  await makeRelease({ version, files, privateKeyPem: readFileSync(keyFile, 'utf8'), target });
  process.stdout.write(`${target}\n`);
}
