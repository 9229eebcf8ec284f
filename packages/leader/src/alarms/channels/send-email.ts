import { DeliveryFailed, failureText } from './delivery-failed.ts';
import type { SmtpSettings } from './smtp-settings.ts';

const connectMs = 8_000;

/** What people read. */
export interface Email {
  /** One line. */
  readonly subject: string;
  readonly text: string;
}

/** Sends one letter to all recipients. @throws DeliveryFailed */
export async function sendEmail(
  settings: SmtpSettings,
  recipients: readonly string[],
  letter: Email,
  signal: AbortSignal,
): Promise<void> {
  const { host, port, security, username, password, from } = settings;
  // Loaded with the first letter: a leader that writes none has no need of its code.
  const { createTransport } = await import('nodemailer');
  const transport = createTransport({
    host,
    port,
    secure: security === 'tls',
    requireTLS: security === 'starttls',
    ignoreTLS: security === 'none',
    ...(username !== undefined && { auth: { user: username, pass: password ?? '' } }),
    connectionTimeout: connectMs,
    greetingTimeout: connectMs,
    socketTimeout: connectMs,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  const close = () => transport.close();
  signal.addEventListener('abort', close, { once: true });
  try {
    signal.throwIfAborted();
    await transport.sendMail({ from, to: [...recipients], ...letter });
  } catch (error) {
    throw new DeliveryFailed(failureText(error, [password]));
  } finally {
    signal.removeEventListener('abort', close);
    transport.close();
  }
}
