import { checkGeneratedRequests } from './check-generated-requests.ts';

checkGeneratedRequests(1);
