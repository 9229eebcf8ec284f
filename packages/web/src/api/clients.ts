import { createClient, leaderApi, nodeApi } from '@lcs/contract';

/** No request uses the HTTP cache: the query cache is the only cache, and the live stream keeps it current. */
const freshFetch: typeof fetch = (input, init) => fetch(input, { ...init, cache: 'no-cache' });

type OnAnswer = (response: Response) => void;

const watchedFetch =
  (onAnswer: OnAnswer): typeof fetch =>
  async (input, init) => {
    const response = await freshFetch(input, init);
    onAnswer(response);
    return response;
  };

/** `onAnswer` receives each response before its body is read, for its headers. */
export const createLeaderClient = (onAnswer: OnAnswer = () => {}) =>
  createClient(leaderApi, { baseUrl: '', fetch: watchedFetch(onAnswer) });
export type LeaderClient = ReturnType<typeof createLeaderClient>;

/** The node that serves these pages: it owns the tasks the leader starts. */
export const createNodeClient = (onAnswer: OnAnswer = () => {}) =>
  createClient(nodeApi, { baseUrl: '', fetch: watchedFetch(onAnswer) });
export type NodeClient = ReturnType<typeof createNodeClient>;
