import { createClient, leaderApi, nodeApi } from '@lcs/contract';

/** Answers are always asked for anew: the query cache is the only cache, and the live stream keeps it true. */
const freshFetch: typeof fetch = (input, init) => fetch(input, { ...init, cache: 'no-cache' });

/** `onAnswer` sees each answer before it is read: what only its headers say is known there. */
export const createLeaderClient = (onAnswer: (response: Response) => void = () => {}) =>
  createClient(leaderApi, {
    baseUrl: '',
    fetch: async (input, init) => {
      const response = await freshFetch(input, init);
      onAnswer(response);
      return response;
    },
  });
export type LeaderClient = ReturnType<typeof createLeaderClient>;

/** The node that serves these pages: it owns the tasks the leader starts. */
export const createNodeClient = () => createClient(nodeApi, { baseUrl: '', fetch: freshFetch });
export type NodeClient = ReturnType<typeof createNodeClient>;
