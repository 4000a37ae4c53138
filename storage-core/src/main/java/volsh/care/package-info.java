/** What an open volume does beside serving files: its session, collecting garbage, healing. */
package volsh.care;
