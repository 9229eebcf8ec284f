import { isMainThread, parentPort, workerData } from 'node:worker_threads';
import { realClock } from '../clock/real-clock.ts';
import { crashPassage } from './crash-point.ts';
import { type OpenedDatabase, openDatabase } from './open-database.ts';
import { storeErrorData, toStoreError } from './store-error.ts';
import { Writer } from './writer.ts';
import type { NumberedRequest, ReadyReport, WriterAnswer, WriterSettings } from './writer-protocol.ts';

const reportOf = ({ applied, backupPath, setAside }: OpenedDatabase): ReadyReport => ({
  applied: applied.map(({ set, id, name }) => ({ set, id, name })),
  backupPath,
  setAside,
});

/** The writer's thread: opens and migrates the database, then serves requests until it is told to close. */
const main = (port: NonNullable<typeof parentPort>, settings: WriterSettings) => {
  const passage = crashPassage(settings.crashAt);
  const answer = (message: WriterAnswer) => port.postMessage(message);
  let opened: OpenedDatabase;
  try {
    opened = openDatabase({ ...settings, passage });
  } catch (error) {
    answer({ type: 'refused', error: storeErrorData(toStoreError(error)) });
    port.close();
    return;
  }
  const writer = new Writer({
    connection: opened.connection,
    answer,
    passage,
    waitingCommands: settings.waitingCommands,
    monotonic: realClock().monotonic,
    end: () => port.close(),
  });
  port.on('message', (request: NumberedRequest) => writer.handle(request));
  answer({ type: 'ready', report: reportOf(opened) });
};

if (!isMainThread && parentPort !== null) main(parentPort, workerData);
