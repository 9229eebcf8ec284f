import { createHmac } from 'node:crypto';
import { DeliveryFailed, failureText } from './delivery-failed.ts';
import type { Notice } from './notice.ts';

/** What a webhook is called with. */
export interface WebhookCall {
  readonly url: string;
  readonly secret: string | null;
  /** The same at each attempt: whoever hears it twice can tell. */
  readonly deliveryId: number;
  readonly notice: Notice;
  /** Seconds since 1970, part of what is signed: an old call cannot be played again. */
  readonly timestampS: number;
}

/** `sha256=` and the HMAC-SHA-256 of `<timestamp>.<body>` in hex digits. */
export const signatureOf = (secret: string, timestampS: number, body: string): string =>
  `sha256=${createHmac('sha256', secret).update(`${timestampS}.${body}`).digest('hex')}`;

/** Posts a notice as JSON. @throws DeliveryFailed */
export async function sendWebhook(call: WebhookCall, signal: AbortSignal): Promise<void> {
  const { url, secret, deliveryId, notice, timestampS } = call;
  const body = JSON.stringify(notice);
  const headers = {
    'content-type': 'application/json; charset=utf-8',
    'x-lcs-delivery': String(deliveryId),
    'x-lcs-timestamp': String(timestampS),
    ...(secret !== null && { 'x-lcs-signature': signatureOf(secret, timestampS, body) }),
  };
  await request(url, { method: 'POST', headers, body, signal }, secret);
}

/** Tells a service outside that all is well. @throws DeliveryFailed */
export const sendPing = (url: string, method: 'GET' | 'POST', signal: AbortSignal): Promise<void> =>
  request(url, { method, signal }, null);

async function request(url: string, init: RequestInit, secret: string | null): Promise<void> {
  let status: number;
  try {
    // Where a redirection leads nobody has said.
    const answer = await fetch(url, { ...init, redirect: 'manual' });
    status = answer.status;
    await answer.body?.cancel();
  } catch (error) {
    throw new DeliveryFailed(failureText(error, [secret, url]));
  }
  if (status < 200 || status > 299) throw new DeliveryFailed(`The service answered with status ${status}.`);
}
