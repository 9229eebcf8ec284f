import type { IncomingMessage } from 'node:http';
import { leaderSystemRoutes } from '@lcs/contract';
import { type LiveRelay, liveDeliveryHeader, positionOf } from '@lcs/leader';
import { type PassOn, sendEvents } from '@lcs/platform';
import { away, begin, endToEnd, forwarded, passAnswer } from './forward-request.ts';
import type { FindTarget } from './target.ts';

export const isLiveRequest = ({ method, url }: IncomingMessage): boolean =>
  method === 'GET' && url === leaderSystemRoutes.followLive.path;

const gap = '\n\n';

/** The pieces of an event stream, each with its empty line, until it ends in whatever way. */
async function* piecesOf(answer: IncomingMessage): AsyncGenerator<string, void, undefined> {
  let text = '';
  try {
    for await (const received of answer.setEncoding('utf8')) {
      const searched = Math.max(0, text.length - 1);
      text += String(received);
      if (!text.includes(gap, searched)) continue;
      const pieces = text.split(gap);
      text = pieces.pop() ?? '';
      for (const piece of pieces) yield `${piece}${gap}`;
    }
  } catch {
    // An end before its time. The client sees an end, too, and connects again.
  }
}

/**
 * The stream of a client: its beginning comes from the active process, which decides what it may see; after that, events come by the broadcast,
 * until the active process ends its answer. If that can broadcast nothing, all comes from it.
 */
async function* relayed(
  answer: IncomingMessage,
  relay: LiveRelay,
  losses: number,
): AsyncGenerator<string, void, undefined> {
  const pieces = piecesOf(answer);
  const first = async () => {
    const { value, done } = await pieces.next();
    return done ? undefined : value;
  };
  for (let piece = await first(); piece !== undefined; piece = await first()) {
    const position = positionOf(piece);
    if (position === undefined) {
      yield piece;
      continue;
    }
    const follower = relay.follow(position, losses);
    const reported = followReports(pieces, follower);
    try {
      for (let text = await follower.next(); text !== undefined; text = await follower.next()) yield text;
    } finally {
      relay.leave(follower);
      answer.destroy();
      await reported;
    }
    return;
  }
}

async function followReports(
  pieces: AsyncGenerator<string, void, undefined>,
  follower: ReturnType<LiveRelay['follow']>,
): Promise<void> {
  try {
    for await (const piece of pieces) {
      const position = positionOf(piece);
      if (position === undefined) return;
      follower.report(position);
    }
  } finally {
    follower.end();
  }
}

export interface RelayOptions {
  readonly active: FindTarget;
  readonly relay: LiveRelay;
  /** The active process sends something every 15 s. After this silence it may not reach this process with the end of a session. Default: 40 s. */
  readonly silentMs?: number;
}

const usualSilentMs = 40_000;

/** Answers a request for live events with those that the active process broadcasts. */
export const relayLive =
  ({ active, relay, silentMs = usualSilentMs }: RelayOptions): PassOn =>
  (request, response, origin, fail) => {
    request.resume();
    try {
      // Pieces of it are read here.
      const asked = { 'accept-encoding': 'identity', [liveDeliveryHeader]: 'relayed' };
      const head = { method: 'GET', path: request.url, headers: { ...forwarded(request, origin), ...asked } };
      const { losses } = relay;
      const upstream = begin(active(), head);
      upstream.on('response', (answer) => {
        if (answer.statusCode !== 200) return passAnswer(answer, response);
        sendEvents(request, response, endToEnd(answer.headers), relayed(answer, relay, losses)).catch(fail);
      });
      upstream.on('error', () => {
        if (!response.destroyed) fail(away());
      });
      upstream.setTimeout(silentMs, () => upstream.destroy());
      response.on('close', () => upstream.destroy());
      upstream.end();
    } catch (error) {
      fail(error);
    }
  };
