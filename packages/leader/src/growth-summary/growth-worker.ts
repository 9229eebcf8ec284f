import { isMainThread, type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { openSqlReader } from '@lcs/platform/sql-reader';
import { CurveReader } from '../growth-curves/read-curve.ts';
import { unitGrowth } from '../growth-curves/unit-growth.ts';
import type { GrowthReply, GrowthWork } from './growth-protocol.ts';

function perform(port: MessagePort, { place, questions }: GrowthWork): void {
  const post = (reply: GrowthReply) => port.postMessage(reply);
  const database = openSqlReader(place, { timeoutMs: 15_000 });
  try {
    const reader = new CurveReader(database);
    for (const [index, question] of questions.entries())
      post({ is: 'unit', index, growth: unitGrowth(reader, question) ?? null });
    post({ is: 'done' });
  } catch (error) {
    post({ is: 'failure', message: error instanceof Error ? (error.stack ?? error.message) : String(error) });
  } finally {
    database.close();
  }
}

if (!isMainThread && parentPort) perform(parentPort, workerData);
