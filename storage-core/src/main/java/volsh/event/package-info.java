/** Events on this machine, for people to read later: mounts, unmounts, stores that were down, repairs, failures. */
package volsh.event;
