import { Button, EmptyState, Skeleton } from '@mantine/core';
import { getRouteApi, Link } from '@tanstack/react-router';
import { isNotFound } from '../api/problem.ts';
import type { ProfileFileText } from '../api/query-keys.ts';
import { ListIcon } from '../ui/icons.tsx';
import { ProblemAlert } from '../ui/problem-alert.tsx';
import { commonWords } from '../words/common.ts';
import { protocolsWords } from '../words/protocols.ts';
import { emptyProfile, nameOfCopy, newProfile } from './editor-search.ts';
import { ProfileEditor } from './profile-editor.tsx';
import { useProfileFile } from './use-profile-file.ts';
import { useProfileLibrary } from './use-profiles.ts';

const route = getRouteApi('/protocols/$file');

const Loading = () => <Skeleton height={360} role="status" aria-label={protocolsWords.loadingProfile} />;

function Missing({ name }: { readonly name: string }) {
  return (
    <EmptyState
      py={48}
      icon={<ListIcon size={40} />}
      title={<h1 className="empty-title">{protocolsWords.thereIsNoProfile(name)}</h1>}
      description={commonWords.deletedOrMisspelled}
    >
      <EmptyState.Actions>
        <Button renderRoot={(props) => <Link to="/protocols" {...props} />} variant="default">
          {commonWords.allProfiles}
        </Button>
      </EmptyState.Actions>
    </EmptyState>
  );
}

const startWith = (text: string): ProfileFileText => ({ text, version: undefined });

/** A saved profile, or a new one that is a copy of it. */
function SavedProfile({ filename, isCopy }: { readonly filename: string; readonly isCopy: boolean }) {
  const { data, error, isFetching, refetch } = useProfileFile(filename);
  if (isNotFound(error)) return <Missing name={filename} />;
  if (data === undefined)
    return error ? <ProblemAlert error={error} onRetry={() => refetch()} retrying={isFetching} /> : <Loading />;
  return isCopy ? (
    <ProfileEditor filename={undefined} suggestedName={nameOfCopy(filename)} saved={startWith(data.text)} />
  ) : (
    <ProfileEditor filename={filename} suggestedName={filename} saved={data} />
  );
}

/** A new profile that is a copy of one of the library. */
function StartingPoint({ filename }: { readonly filename: string }) {
  const { data, error, isFetching, refetch } = useProfileLibrary();
  if (data === undefined)
    return error ? <ProblemAlert error={error} onRetry={() => refetch()} retrying={isFetching} /> : <Loading />;
  const found = data.find((each) => each.filename === filename);
  if (found === undefined) return <Missing name={filename} />;
  return <ProfileEditor filename={undefined} suggestedName={filename} saved={startWith(found.text)} />;
}

/** The editor of one profile. */
export function EditorPage() {
  const { file } = route.useParams();
  const { from, copy } = route.useSearch();
  if (file !== newProfile) return <SavedProfile key={file} filename={file} isCopy={false} />;
  if (copy !== undefined) return <SavedProfile key={`copy ${copy}`} filename={copy} isCopy />;
  if (from !== undefined) return <StartingPoint key={`from ${from}`} filename={from} />;
  return (
    <ProfileEditor key="new" filename={undefined} suggestedName="my-profile.yaml" saved={startWith(emptyProfile)} />
  );
}
