import { X509Certificate } from 'node:crypto';
import { dayMs, hourMs } from '@lcs/contract';
import { reasonOf, type ServerCertificate, type Service } from '@lcs/platform';
import type { EventLogEntry, LeaderContext } from '../core/leader-context.ts';

export interface CertificateExpiryOptions {
  readonly context: Pick<LeaderContext, 'change' | 'clock' | 'log'>;
  /** The one for browsers and programs. */
  readonly certificate: ServerCertificate;
}

type Notice = Pick<EventLogEntry, 'level' | 'message'> & {
  /** Each is reported once for a certificate. */
  readonly stage: string;
};

/** Programs that renew certificates do so some 30 days before their end: with fewer days left, that has failed. */
const warningDays = [21, 7, 1];
const checkEveryMs = 6 * hourMs;

/** Pure: what people must know of a certificate that ends at this time; undefined: nothing yet. */
export function expiryNotice(endsAt: number, now: number): Notice | undefined {
  const leftMs = endsAt - now;
  const until = new Date(endsAt).toISOString().slice(0, 10);
  const remedy = 'Replace its files, or check the program that renews them. Units are not affected.';
  if (leftMs <= 0)
    return {
      stage: 'ended',
      level: 'ERROR',
      message: `The certificate for browsers ended on ${until}: browsers refuse this leader. ${remedy}`,
    };
  const days = warningDays.findLast((each) => leftMs <= each * dayMs);
  if (days === undefined) return undefined;
  const message = `The certificate for browsers ends on ${until}. ${remedy}`;
  return { stage: `${days} days`, level: 'WARNING', message };
}

/** Warns in log and event log before the certificate of the server ends. */
export class CertificateExpiry implements Service {
  readonly name = 'certificate expiry';
  readonly #options: CertificateExpiryOptions;
  #reported = '';
  #stops: readonly (() => void)[] = [];
  #checked: Promise<void> = Promise.resolve();

  constructor(options: CertificateExpiryOptions) {
    this.#options = options;
  }

  async start(): Promise<void> {
    const { context, certificate } = this.#options;
    const check = (): void => {
      this.#checked = this.#check();
    };
    this.#stops = [context.clock.every(checkEveryMs, check), certificate.onChange(check)];
    check();
  }

  async stop(): Promise<void> {
    for (const stop of this.#stops) stop();
    await this.#checked;
  }

  async #check(): Promise<void> {
    const { context, certificate } = this.#options;
    const { serialNumber, validTo } = new X509Certificate(certificate.current().certificate);
    const notice = expiryNotice(Date.parse(validTo), context.clock.now());
    const reported = `${serialNumber} ${notice?.stage}`;
    if (notice === undefined || reported === this.#reported) return;
    this.#reported = reported;
    const { level, message } = notice;
    context.log.warn(message);
    try {
      await context.change((_, effects) => effects.logEvent({ level, message, task: 'certificate' }));
    } catch (error) {
      context.log.error('A warning could not be written', { message, error: reasonOf(error) });
    }
  }
}
