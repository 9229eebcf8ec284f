import { createHmac } from 'node:crypto';
import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { isIP } from 'node:net';
import { DeliveryFailed, failureText } from './delivery-failed.ts';
import type { Notice } from './notice.ts';
import { hostOf, type OutsideAddresses, portOf } from './outside-address.ts';

/** The call of a webhook. */
export interface WebhookCall {
  readonly url: string;
  readonly secret: string | null;
  /** The same in each attempt, so that the receiver recognises a repetition. */
  readonly deliveryId: number;
  readonly notice: Notice;
  /** Seconds since 1970, part of the signed text: an old call cannot be replayed. */
  readonly timestampS: number;
}

/** `sha256=` and the HMAC-SHA-256 of `<timestamp>.<body>` in hex digits. */
export const signatureOf = (secret: string, timestampS: number, body: string): string =>
  `sha256=${createHmac('sha256', secret).update(`${timestampS}.${body}`).digest('hex')}`;

/** Posts a notice as JSON. @throws DeliveryFailed */
export async function sendWebhook(call: WebhookCall, outside: OutsideAddresses, signal: AbortSignal): Promise<void> {
  const { url, secret, deliveryId, notice, timestampS } = call;
  const body = JSON.stringify(notice);
  const headers = {
    'content-type': 'application/json; charset=utf-8',
    'x-lcs-delivery': String(deliveryId),
    'x-lcs-timestamp': String(timestampS),
    ...(secret !== null && { 'x-lcs-signature': signatureOf(secret, timestampS, body) }),
  };
  await send({ url, method: 'POST', headers, body, secret }, outside, signal);
}

/** Sends a ping to an external monitor. @throws DeliveryFailed */
export const sendPing = (
  url: string,
  method: 'GET' | 'POST',
  outside: OutsideAddresses,
  signal: AbortSignal,
): Promise<void> => send({ url, method, headers: {}, body: '', secret: null }, outside, signal);

interface Outgoing {
  readonly url: string;
  readonly method: 'GET' | 'POST';
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly secret: string | null;
}

async function send(outgoing: Outgoing, outside: OutsideAddresses, signal: AbortSignal): Promise<void> {
  let status: number;
  try {
    status = await statusOf(outgoing, outside, signal);
  } catch (error) {
    throw new DeliveryFailed(failureText(error, [outgoing.secret, outgoing.url]));
  }
  if (status < 200 || status > 299) throw new DeliveryFailed(`The service answered with status ${status}.`);
}

/** Redirections are not followed: they could lead back into the cluster. */
async function statusOf(
  { url, method, headers, body }: Outgoing,
  outside: OutsideAddresses,
  signal: AbortSignal,
): Promise<number> {
  const target = new URL(url);
  const isSecure = target.protocol === 'https:';
  const port = portOf(target);
  const host = hostOf(url) ?? target.hostname;
  // A numeric host is not looked up.
  if (isIP(host) !== 0) outside.check(host, host, port);
  const answered = Promise.withResolvers<number>();
  const length = { 'content-length': String(Buffer.byteLength(body)) };
  const outgoing = (isSecure ? httpsRequest : httpRequest)(target, {
    method,
    signal,
    agent: false,
    lookup: outside.lookup(port),
    headers: { ...headers, ...(method === 'POST' && length) },
  });
  outgoing.on('error', answered.reject);
  outgoing.on('response', (response) => {
    answered.resolve(response.statusCode ?? 0);
    response.destroy();
  });
  outgoing.end(body);
  return answered.promise;
}
