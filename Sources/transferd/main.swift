import TransferDaemon

Program.main()
