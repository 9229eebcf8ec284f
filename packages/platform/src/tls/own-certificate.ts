import { createPrivateKey, generateKeyPairSync, type KeyObject, X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { dayMs, hourMs } from '@lcs/contract';
import type { Clock } from '../clock/clock.ts';
import { writeFileDurably } from '../files/durable-file.ts';
import { errnoOf, reasonOf } from '../files/file-errors.ts';
import { makeFolders } from '../files/make-folders.ts';
import type { Service } from '../lifecycle/in-order.ts';
import { Listeners } from '../lifecycle/listeners.ts';
import type { Log } from '../log/log.ts';
import { StartupError } from '../process/startup-error.ts';
import type { KeyedCertificate } from './machine-certificate.ts';
import { fingerprintOf } from './public-key.ts';
import type { ServerCertificate } from './server-tls.ts';

export interface OwnCertificateOptions {
  /** Of the keys and certificates; nobody else can read the files. */
  readonly folder: string;
  /** Names the authority to people who look at its certificate. */
  readonly owner: string;
  /** Host names and IP addresses under which the server is reached. They are read at each check. */
  readonly names: () => readonly string[];
  /** Decides when the certificate is renewed. */
  readonly clock: Clock;
  readonly log: Log;
}

const authorityDays = 3650;
const serverDays = 90;
const renewalDays = 60;
const checkEveryMs = hourMs;
/** The clocks of browsers may be behind. */
const earlierMs = dayMs;

interface Files {
  readonly authorityKey: string;
  readonly authority: string;
  /** Key and certificate in one file, so that they always belong together. */
  readonly server: string;
}

/** An authority, with its certificate. */
interface LoadedAuthority {
  readonly key: KeyObject;
  readonly certificate: string;
}

const certificateMark = '-----BEGIN CERTIFICATE-----';

/** The names of a certificate in the form of `names`. */
function namesIn(certificate: X509Certificate): readonly string[] {
  const texts = (certificate.subjectAltName ?? '').split(', ');
  return texts.flatMap((text) => /^(?:DNS|IP Address):(.+)$/.exec(text)?.[1] ?? []);
}

/** Addresses have several spellings; those of the URL standard are unique. */
const spelling = (name: string): string =>
  name.includes(':') ? new URL(`http://[${name}]`).hostname : name.toLowerCase();

const isSameSet = (one: readonly string[], other: readonly string[]): boolean => {
  const left = new Set(one.map(spelling));
  const right = new Set(other.map(spelling));
  return left.size === right.size && [...left].every((name) => right.has(name));
};

/**
 * A small certificate authority of a leader, and the certificate of its server. It renews that certificate after 60 of its 90 days, and when
 * the names or addresses of the machine change, while the server runs.
 */
export class OwnCertificate implements ServerCertificate, Service {
  readonly name = 'own certificate';
  readonly #options: OwnCertificateOptions;
  readonly #files: Files;
  readonly #changes = new Listeners();
  #current: KeyedCertificate | undefined;
  #authority: LoadedAuthority | undefined;
  #stopChecks = (): void => {};
  #checking: Promise<void> | undefined;

  constructor(options: OwnCertificateOptions) {
    this.#options = options;
    this.#files = {
      authorityKey: join(options.folder, 'ca-key.pem'),
      authority: join(options.folder, 'ca.pem'),
      server: join(options.folder, 'server.pem'),
    };
  }

  /** @throws StartupError when a file is damaged or cannot be written */
  async start(): Promise<void> {
    try {
      await makeFolders(this.#options.folder);
      this.#authority = (await this.#loadAuthority()) ?? (await this.#makeAuthority());
      const stored = await textOf(this.#files.server);
      if (stored === undefined || this.#isDue(stored)) await this.#renew();
      else this.#current = split(stored);
    } catch (error) {
      if (error instanceof StartupError) throw error;
      throw new StartupError(
        `The certificates in ${this.#options.folder} cannot be used: ${reasonOf(error)}. Remove ca-key.pem, ca.pem and server.pem there for new ones, which browsers must trust again.`,
        { cause: error },
      );
    }
    this.#stopChecks = this.#options.clock.every(checkEveryMs, () => {
      // While one is renewing, on a slow disk, another would issue a second certificate.
      this.#checking ??= this.#check().finally(() => {
        this.#checking = undefined;
      });
    });
  }

  async stop(): Promise<void> {
    this.#stopChecks();
  }

  current(): KeyedCertificate {
    if (this.#current === undefined) throw new Error('The certificate is not loaded.');
    return this.#current;
  }

  onChange(listener: () => void): () => void {
    return this.#changes.add(listener);
  }

  /** SHA-256 of the certificate of the authority, for people to compare. */
  get authorityFingerprint(): string {
    return certificateFingerprint(this.#known().certificate);
  }

  async #check(): Promise<void> {
    const { key, certificate } = this.current();
    if (!this.#isDue(key + certificate)) return;
    try {
      await this.#renew();
      this.#changes.publish();
    } catch (error) {
      this.#options.log.error('The certificate was not renewed', { error: reasonOf(error) });
    }
  }

  #isDue(pem: string): boolean {
    const { clock, names } = this.#options;
    const certificate = new X509Certificate(split(pem).certificate);
    const now = clock.now();
    const from = Date.parse(certificate.validFrom);
    const isFresh = now >= from && now < from + earlierMs + renewalDays * dayMs;
    const isOfAuthority = certificate.verify(new X509Certificate(this.#known().certificate).publicKey);
    return !isFresh || !isOfAuthority || !isSameSet(namesIn(certificate), names());
  }

  async #renew(): Promise<void> {
    const { serverCertificate } = await import('./authority.ts');
    const { clock, names, log } = this.#options;
    const { key: authorityKey, certificate: authority } = this.#known();
    const { privateKey: key } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const now = clock.now();
    const certificate = serverCertificate(
      { name: commonNameOf(authority), key: authorityKey },
      {
        key,
        names: names(),
        notBefore: new Date(now - earlierMs),
        notAfter: new Date(now + serverDays * dayMs),
      },
    );
    const keyText = pemOf(key);
    await writeFileDurably(this.#files.server, keyText + certificate + authority, { mode: 0o600 });
    this.#current = { key: keyText, certificate: certificate + authority };
    log.info('Certificate issued', { names: names(), days: serverDays });
  }

  async #loadAuthority(): Promise<LoadedAuthority | undefined> {
    const [keyText, certificate] = await Promise.all([textOf(this.#files.authorityKey), textOf(this.#files.authority)]);
    if (keyText === undefined) return undefined;
    const key = createPrivateKey(keyText);
    // A crash between the two files: the key alone has never been used.
    if (certificate === undefined) return this.#certified(key);
    if (!new X509Certificate(certificate).checkPrivateKey(key)) throw new Error('ca-key.pem is not the key of ca.pem');
    return { key, certificate };
  }

  async #makeAuthority(): Promise<LoadedAuthority> {
    const { privateKey: key } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    await writeFileDurably(this.#files.authorityKey, pemOf(key), { mode: 0o600 });
    return this.#certified(key);
  }

  async #certified(key: KeyObject): Promise<LoadedAuthority> {
    const { authorityCertificate } = await import('./authority.ts');
    const { clock, owner } = this.#options;
    const now = clock.now();
    const certificate = authorityCertificate(
      { name: `Leader Control Service: ${owner}`, key },
      { notBefore: new Date(now - earlierMs), notAfter: new Date(now + authorityDays * dayMs) },
    );
    await writeFileDurably(this.#files.authority, certificate, { mode: 0o600 });
    return { key, certificate };
  }

  #known(): LoadedAuthority {
    if (this.#authority === undefined) throw new Error('The authority is not loaded.');
    return this.#authority;
  }
}

/** SHA-256 of a certificate in PEM, for people to compare. */
export const certificateFingerprint = (pem: string): string => fingerprintOf(new X509Certificate(pem).raw);

/** A file with a key and certificates. */
function split(pem: string): KeyedCertificate {
  const at = pem.indexOf(certificateMark);
  return { key: pem.slice(0, at), certificate: pem.slice(at) };
}

const commonNameOf = (pem: string): string => /^CN=(.*)$/m.exec(new X509Certificate(pem).subject)?.[1] ?? '';

const pemOf = (key: KeyObject): string => key.export({ type: 'pkcs8', format: 'pem' }).toString();

async function textOf(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}
