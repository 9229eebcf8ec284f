import { DeliveryFailed, failureText } from './delivery-failed.ts';
import type { SmtpSettings } from './smtp-settings.ts';

const connectMs = 8_000;

export interface Email {
  /** One line. */
  readonly subject: string;
  readonly text: string;
}

/** Sends one e-mail to all recipients. @throws DeliveryFailed */
export async function sendEmail(
  settings: SmtpSettings,
  recipients: readonly string[],
  email: Email,
  signal: AbortSignal,
): Promise<void> {
  const { host, port, security, username, password, from } = settings;
  // Loaded with the first e-mail: a leader that sends none does not need it.
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
    await transport.sendMail({ from, to: [...recipients], ...email });
  } catch (error) {
    throw new DeliveryFailed(failureText(error, [password]));
  } finally {
    signal.removeEventListener('abort', close);
    transport.close();
  }
}
