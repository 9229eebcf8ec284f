import { isMainThread, type MessagePort, parentPort } from 'node:worker_threads';
import { realClock } from '../clock/real-clock.ts';
import { crashPassage } from './crash-point.ts';
import { type OpenedDatabase, openDatabase } from './open-database.ts';
import { storeErrorData, toStoreError } from './store-error.ts';
import { Writer } from './writer.ts';
import type { NumberedRequest, ReadyReport, WriterAnswer, WriterOpening, WriterSettings } from './writer-protocol.ts';

/** How long the thread may stand still for the lock of another process. */
const busyTimeoutMs = 100;

const reportOf = ({ applied, backupPath, setAside }: OpenedDatabase): ReadyReport => ({
  applied: applied.map(({ set, id, name }) => ({ set, id, name })),
  backupPath,
  setAside,
});

/** Opens and migrates one database, then serves its requests until it is told to close it. */
const serve = (port: MessagePort, settings: WriterSettings) => {
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
  // From here on others wait for this thread: who waits for a lock asks again.
  opened.connection.exec(`pragma busy_timeout = ${busyTimeoutMs}`);
  const writer = new Writer({
    connection: opened.connection,
    answer,
    passage,
    waitingCommands: settings.waitingCommands,
    clock: realClock(),
    end: () => port.close(),
  });
  port.on('message', (request: NumberedRequest) => writer.handle(request));
  // The other side went away without a word, as a start that was cut does.
  port.on('close', () => {
    if (opened.connection.isOpen) opened.connection.close();
  });
  answer({ type: 'ready', report: reportOf(opened) });
};

/** The writer's thread: serves each database on a port of its own. */
if (!isMainThread) parentPort?.on('message', ({ port, settings }: WriterOpening) => serve(port, settings));
