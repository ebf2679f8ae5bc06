import type { ServiceProcess } from '../../service-process.ts';
import { signIn } from '../browser.ts';

const password = 'a password of a member';

/** Invites a member over the API and signs in as that person, whose rights are smaller than those of an owner. */
export async function signInMember(service: ServiceProcess, address: string, name = 'Fern'): Promise<string> {
  const { data } = await service.client.call('members.invite', { body: { email: address } });
  await service.client.call('members.accept', { body: { token: data.token, password, name } });
  return await signIn(service, address, password);
}
