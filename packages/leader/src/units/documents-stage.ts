import type { Service, Stage } from '@lcs/platform';
import type { AccessControl } from '../access/access-control.ts';
import type { SharedConfig } from '../config/shared-config.ts';
import { DesiredDocumentStore, type DesiredDocumentStoreOptions } from './desired-document-store.ts';
import { DesiredDocuments, type DesiredDocumentsOptions } from './desired-documents.ts';
import { DocumentSender, type DocumentSenderOptions } from './document-sender.ts';
import type { SessionsOutputs } from './sessions-stage.ts';

type Inputs = SessionsOutputs &
  Omit<DesiredDocumentStoreOptions, 'sharedText' | 'hasPeople'> &
  Omit<DocumentSenderOptions, 'sessions' | 'store' | 'addressOf' | 'send'> &
  Omit<DesiredDocumentsOptions, 'sessions' | 'store' | 'sender'> & {
    readonly access: Pick<AccessControl, 'people' | 'onFirstPerson'>;
    readonly sharedConfig: Pick<SharedConfig, 'usableText' | 'onChange'>;
  };

export interface DocumentsOutputs {
  readonly sender: DocumentSender;
  readonly desired: DesiredDocuments;
  readonly documentServices: readonly Service[];
}

/** The desired documents of the units, and their delivery. */
export function documentsStage(inputs: Inputs): Stage<DocumentsOutputs> {
  const { directory, sharedConfig, unitHttp, access } = inputs;
  const store = new DesiredDocumentStore({
    ...inputs,
    sharedText: () => sharedConfig.usableText(),
    hasPeople: () => access.people.length > 0,
  });
  const send: DocumentSenderOptions['send'] = (call) => unitHttp.call(call);
  const sender = new DocumentSender({ ...inputs, store, send, addressOf: directory.addressOf });
  const desired = new DesiredDocuments({ ...inputs, store, sender });
  sharedConfig.onChange(() => desired.refreshAll());
  // From then on the units refuse everybody but their leader.
  access.onFirstPerson(() => desired.refreshAll());
  return { outputs: { sender, desired, documentServices: [sender, desired] }, services: [] };
}
