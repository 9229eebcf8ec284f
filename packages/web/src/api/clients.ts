import { createClient, leaderApi, nodeApi } from '@lcs/contract';

/** No request uses the HTTP cache: the query cache is the only cache, and the live stream keeps it current. */
const freshFetch: typeof fetch = (input, init) => fetch(input, { ...init, cache: 'no-cache' });

type OnAnswer = (response: Response) => void;
/** The CSRF token of a request; undefined: there is no session. */
type CsrfToken = (method: string, path: string) => Promise<string | undefined> | string | undefined;

const watchedFetch =
  (onAnswer: OnAnswer, csrfToken: CsrfToken): typeof fetch =>
  async (input, init) => {
    const headers = new Headers(init?.headers);
    const token = await csrfToken(init?.method ?? 'GET', String(input));
    if (token !== undefined) headers.set('x-csrf-token', token);
    const response = await freshFetch(input, { ...init, headers });
    onAnswer(response);
    return response;
  };

/** `onAnswer` receives each response before its body is read, for its headers. */
export const createLeaderClient = (onAnswer: OnAnswer = () => {}, csrfToken: CsrfToken = () => undefined) =>
  createClient(leaderApi, { baseUrl: '', fetch: watchedFetch(onAnswer, csrfToken) });
export type LeaderClient = ReturnType<typeof createLeaderClient>;

/** The node that serves these pages: it owns the tasks the leader starts. */
export const createNodeClient = (onAnswer: OnAnswer, csrfToken: CsrfToken) =>
  createClient(nodeApi, { baseUrl: '', fetch: watchedFetch(onAnswer, csrfToken) });
export type NodeClient = ReturnType<typeof createNodeClient>;
