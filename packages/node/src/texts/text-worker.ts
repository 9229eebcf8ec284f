import { isMainThread, parentPort, workerData } from 'node:worker_threads';
import { answerTo } from './read-text.ts';

if (!isMainThread && parentPort) parentPort.postMessage(answerTo(workerData));
