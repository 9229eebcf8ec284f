import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { minuteMs } from '@lcs/contract';
import type { Clock } from '../clock/clock.ts';
import { reasonOf } from '../files/file-errors.ts';
import type { Service } from '../lifecycle/in-order.ts';
import { Listeners } from '../lifecycle/listeners.ts';
import type { Log } from '../log/log.ts';
import { StartupError } from '../process/startup-error.ts';
import type { KeyedCertificate } from './machine-certificate.ts';
import type { ServerCertificate } from './server-tls.ts';

export interface CertificateFilesOptions {
  /** PEM: the certificate of the server, followed by those of its issuers. */
  readonly certificate: string;
  /** PEM, without a password. */
  readonly key: string;
  readonly clock: Clock;
  readonly log: Log;
}

const readEveryMs = minuteMs;

/** The certificate of an institution, from files that some other program renews. New contents are served without a restart. */
export class CertificateFiles implements ServerCertificate, Service {
  readonly name = 'certificate files';
  readonly #options: CertificateFilesOptions;
  readonly #changes = new Listeners();
  #current: KeyedCertificate | undefined;
  /** Logged once. */
  #refused = '';
  #stopReading = (): void => {};

  constructor(options: CertificateFilesOptions) {
    this.#options = options;
  }

  /** @throws StartupError when the files are not a certificate and its key */
  async start(): Promise<void> {
    try {
      this.#current = await this.#read();
    } catch (error) {
      throw new StartupError(
        `The certificate ${this.#options.certificate} with the key ${this.#options.key} cannot be used: ${reasonOf(error)}.`,
        { cause: error },
      );
    }
    this.#stopReading = this.#options.clock.every(readEveryMs, () => void this.#readAgain());
  }

  async stop(): Promise<void> {
    this.#stopReading();
  }

  current(): KeyedCertificate {
    if (this.#current === undefined) throw new Error('The certificate is not loaded.');
    return this.#current;
  }

  onChange(listener: () => void): () => void {
    return this.#changes.add(listener);
  }

  async #read(): Promise<KeyedCertificate> {
    const [key, certificate] = await Promise.all([
      readFile(this.#options.key, 'utf8'),
      readFile(this.#options.certificate, 'utf8'),
    ]);
    if (!new X509Certificate(certificate).checkPrivateKey(createPrivateKey(key)))
      throw new Error('the key is not that of the certificate');
    return { key, certificate };
  }

  /** Files that do not belong together are being replaced at this moment, or are wrong: the earlier ones stay. */
  async #readAgain(): Promise<void> {
    const { log } = this.#options;
    const before = this.current();
    try {
      const found = await this.#read();
      this.#refused = '';
      if (found.key === before.key && found.certificate === before.certificate) return;
      this.#current = found;
      log.info('Certificate replaced', { validUntil: new X509Certificate(found.certificate).validTo });
      this.#changes.publish();
    } catch (error) {
      const reason = reasonOf(error);
      if (reason !== this.#refused) log.warn('The new certificate cannot be used; the earlier one stays', { reason });
      this.#refused = reason;
    }
  }
}
