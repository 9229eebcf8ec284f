import { createTransport } from 'nodemailer';
import { DeliveryFailed, failureText } from './delivery-failed.ts';
import { letterOf, type Notice } from './notice.ts';
import type { SmtpSettings } from './smtp-settings.ts';

const connectMs = 8_000;

/** Sends one letter to all recipients. @throws DeliveryFailed */
export async function sendEmail(
  settings: SmtpSettings,
  recipients: readonly string[],
  notice: Notice,
  signal: AbortSignal,
): Promise<void> {
  const { host, port, security, username, password, from } = settings;
  const transport = createTransport({
    ...{ host, port, secure: security === 'tls', requireTLS: security === 'starttls', ignoreTLS: security === 'none' },
    ...(username !== undefined && { auth: { user: username, pass: password ?? '' } }),
    ...{ connectionTimeout: connectMs, greetingTimeout: connectMs, socketTimeout: connectMs },
    ...{ disableFileAccess: true, disableUrlAccess: true },
  });
  const close = () => transport.close();
  signal.addEventListener('abort', close, { once: true });
  try {
    signal.throwIfAborted();
    await transport.sendMail({ from, to: [...recipients], ...letterOf(notice) });
  } catch (error) {
    throw new DeliveryFailed(failureText(error, [password]));
  } finally {
    signal.removeEventListener('abort', close);
    transport.close();
  }
}
