import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { certificateFingerprint, errnoOf, keyFingerprint, publicKeyText, reasonOf } from '@lcs/platform';
import type { Command } from 'commander';
import { printJson } from '../output.ts';
import { CommandFailure, type ProgramIo } from '../program-io.ts';
import { folderName } from './node-options.ts';

interface CertificateOptions {
  readonly dataDir: string;
  readonly json?: true;
  readonly export?: string;
}

const failed = (path: string, cause: string) =>
  new CommandFailure({
    error: `${path} cannot be used.`,
    cause,
    remediation: 'Run the command as the user of the leader, with the data folder of the leader in --data-dir.',
  });

/** Undefined: there is no such file. */
async function textOf(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return undefined;
    throw failed(path, reasonOf(error));
  }
}

async function certificate(io: ProgramIo, options: CertificateOptions): Promise<void> {
  const storage = join(resolve(options.dataDir), 'storage');
  const [identity, authority, server] = await Promise.all(
    ['identity.pem', 'ca.pem', 'server.pem'].map((name) => textOf(join(storage, name))),
  );
  if (identity === undefined) throw failed(storage, 'No node uses this data folder.');
  const served =
    server === undefined ? undefined : new X509Certificate(server.slice(server.indexOf('-----BEGIN CERT')));
  const facts = {
    machine: keyFingerprint(publicKeyText(createPrivateKey(identity))),
    authority: authority === undefined ? null : certificateFingerprint(authority),
    server: served === undefined ? null : certificateFingerprint(served.toString()),
    names: served?.subjectAltName?.replaceAll(/(DNS|IP Address):/g, '') ?? null,
    valid_until: served?.validTo ?? null,
  };
  if (options.export !== undefined) {
    if (authority === undefined) throw failed(storage, 'This node has no certificate authority.');
    await writeFile(resolve(options.export), authority);
  }
  if (options.json) return printJson(io, facts);
  const lines = [
    `Key of this machine, SHA-256:      ${facts.machine}`,
    ...(facts.authority === null
      ? ['No certificate authority: a leader makes one when it listens on a network without --tls-certificate.']
      : [
          `Certificate authority, SHA-256:    ${facts.authority}`,
          `Certificate of the server, SHA-256: ${facts.server}`,
          `Its names: ${facts.names}`,
          `Valid until ${facts.valid_until}, renewed by itself`,
        ]),
    ...(options.export === undefined ? [] : [`The authority is in ${options.export}: import it into browsers.`]),
  ];
  io.stdout.write(`${lines.join('\n')}\n`);
}

/** `lcs certificate` */
export function addCertificateCommand(program: Command, io: ProgramIo): void {
  program
    .command('certificate')
    .description('fingerprints of the keys and certificates of the node on this machine')
    .option('--data-dir <folder>', 'data folder', folderName, io.defaultDataFolder)
    .option('--export <file>', 'write the certificate of the authority here, to import it into browsers', folderName)
    .option('--json', 'print JSON for programs')
    .action((options: CertificateOptions) => certificate(io, options));
}
