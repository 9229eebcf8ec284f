import { X509Certificate } from 'node:crypto';
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { dayMs, localCaller } from '@lcs/contract';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { VirtualClock } from '../clock/virtual-clock.ts';
import { memoryLog } from '../log/memory-log.ts';
import { StartupError } from '../process/startup-error.ts';
import { startToy } from '../testing/toy-server.ts';
import { CertificateFiles } from './certificate-files.ts';
import { OwnCertificate } from './own-certificate.ts';
import type { ServerCertificate } from './server-tls.ts';

let folder = '';
let clock: VirtualClock;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'lcs-ca-'));
  clock = new VirtualClock();
});
afterEach(() => rm(folder, { recursive: true }));

const names = ['lab.example', 'lab.local', '192.0.2.7', 'fe80::1'];

async function started(current: () => readonly string[] = () => names): Promise<OwnCertificate> {
  const own = new OwnCertificate({ folder, owner: 'leader', names: current, clock, log: memoryLog() });
  await own.start();
  return own;
}

const changeOf = (certificate: ServerCertificate) =>
  new Promise<void>((resolve) => {
    certificate.onChange(resolve);
  });
const serialOf = (own: ServerCertificate): string => new X509Certificate(own.current().certificate).serialNumber;

/** The certificate that a browser receives, checked as a browser with this authority does it; `undefined`: refused. */
const received = (port: number, name: string, ca: string) =>
  new Promise<string | undefined>((resolve) => {
    const socket = connect({ port, host: '127.0.0.1', servername: name, ca }, () => {
      resolve(socket.getPeerX509Certificate()?.serialNumber);
      socket.destroy();
    });
    socket.once('error', () => resolve(undefined));
  });

describe('the own authority of a leader', () => {
  it('makes a certificate for all names that browsers with this authority accept', async () => {
    const own = await started();
    const certificate = new X509Certificate(own.current().certificate);
    expect(names.map((name) => certificate.checkHost(name) ?? certificate.checkIP(name))).toEqual(names);
    const authority = new X509Certificate(await readFile(join(folder, 'ca.pem'), 'utf8'));
    expect([authority.ca, certificate.ca, certificate.checkIssued(authority)]).toEqual([true, false, true]);
    expect(own.authorityFingerprint.replaceAll(' ', '').toUpperCase()).toBe(
      authority.fingerprint256.replaceAll(':', ''),
    );
    for (const name of ['ca-key.pem', 'server.pem']) expect((await stat(join(folder, name))).mode & 0o777).toBe(0o600);
    await own.stop();
  });

  it('keeps its certificates over a restart, and makes a new one for new names', async () => {
    const first = await started();
    const second = await started();
    expect(serialOf(second)).toBe(serialOf(first));
    const third = await started(() => [...names, '198.51.100.1']);
    expect(serialOf(third)).not.toBe(serialOf(first));
    expect(third.authorityFingerprint).toBe(first.authorityFingerprint);
  });

  it('renews the certificate after 60 days, and the running server serves the new one', async () => {
    // OpenSSL compares the dates with the real time, which must be within those of both certificates.
    clock = new VirtualClock({ startMs: Date.now() - 61 * dayMs });
    const own = await started();
    const ca = await readFile(join(folder, 'ca.pem'), 'utf8');
    const machine = own.current();
    await using toy = await startToy({}, { identify: () => localCaller, tls: { machine, server: own } });
    const before = serialOf(own);
    await clock.advance(59 * dayMs);
    expect(await received(toy.server.port, 'lab.local', ca)).toBe(before);
    const renewed = changeOf(own);
    let renewals = 0;
    own.onChange(() => {
      renewals += 1;
    });
    // Dozens of checks come while the first one writes its files.
    await clock.advance(2 * dayMs);
    await renewed;
    expect(serialOf(own)).not.toBe(before);
    expect(await received(toy.server.port, 'lab.local', ca)).toBe(serialOf(own));
    expect(await received(toy.server.port, 'other.example', ca)).toBeUndefined();
    expect(renewals).toBe(1);
    await own.stop();
  });

  it('makes a new certificate after the clock was wrong', async () => {
    const before = serialOf(await started());
    clock = new VirtualClock({ startMs: clock.now() - 400 * dayMs });
    expect(serialOf(await started())).not.toBe(before);
  });

  it.each(['ca-key.pem', 'ca.pem', 'server.pem'])('does not start with a damaged %s', async (name) => {
    await (await started()).stop();
    await writeFile(join(folder, name), 'nonsense');
    await expect(started()).rejects.toThrow(StartupError);
  });
});

describe('the certificate files of an institution', () => {
  const paths = () => ({ certificate: join(folder, 'chain.crt'), key: join(folder, 'chain.key') });
  const write = async ({ certificate, key }: { readonly certificate: string; readonly key: string }) => {
    await writeFile(paths().certificate, certificate);
    await writeFile(paths().key, key);
  };

  it('are served again when they change, and never as a pair that does not belong together', async () => {
    const own = await started();
    const first = own.current();
    await write(first);
    const log = memoryLog();
    const files = new CertificateFiles({ ...paths(), clock, log });
    await files.start();
    expect(files.current()).toEqual(first);
    const other = (await started(() => ['other.example'])).current();
    await writeFile(paths().key, other.key);
    const refused = new Promise<void>((resolve) => {
      const look = () => (log.messages('warn').length > 0 ? resolve() : setImmediate(look));
      look();
    });
    await clock.advance(60_000);
    await refused;
    expect(files.current()).toEqual(first);
    await writeFile(paths().certificate, other.certificate);
    const changed = changeOf(files);
    await clock.advance(60_000);
    await changed;
    expect(files.current()).toEqual(other);
    await files.stop();
  });

  it('are refused at the start when they are missing or do not belong together', async () => {
    const log = memoryLog();
    await expect(new CertificateFiles({ ...paths(), clock, log }).start()).rejects.toThrow(StartupError);
    const own = await started();
    const other = await started(() => ['other.example']);
    await write({ certificate: own.current().certificate, key: other.current().key });
    await expect(new CertificateFiles({ ...paths(), clock, log }).start()).rejects.toThrow(StartupError);
  });
});
